import torch
import torch.nn as nn
import torch.nn.functional as F


class SaliencyPyramid(nn.Module):
    scales = (1, 2, 4)

    def __init__(self, ch=4):
        super().__init__()
        self.stem = nn.Conv2d(3, ch, 3, padding=1)
        self.sides = nn.ModuleList(nn.Conv2d(ch, 1, 1) for _ in self.scales)
        self.weights = (0.6, 0.3, 0.1)

    def forward(self, img):
        f = F.relu_(self.stem(img))
        maps = [torch.sigmoid(side(F.avg_pool2d(f, s))) for side, s in zip(self.sides, self.scales)]
        torch._foreach_mul_(maps, self.weights)
        size = img.shape[-2:]
        ups = [F.interpolate(m, size=size, mode="bilinear", align_corners=False) for m in maps]
        fused = torch.zeros_like(ups[0])
        for u in ups:
            fused += u
        return fused, maps


def main():
    torch.manual_seed(26)
    net = SaliencyPyramid()
    img, gt = torch.rand(2, 3, 8, 8), (torch.rand(2, 1, 8, 8) > 0.5).float()
    fused, _ = net(img)
    F.binary_cross_entropy(fused.clamp(1e-4, 1 - 1e-4), gt).backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
