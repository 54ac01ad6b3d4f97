import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedConv2d(nn.Conv2d):
    def __init__(self, kind, *args, **kwargs):
        super().__init__(*args, **kwargs)
        _, _, kh, kw = self.weight.size()
        flat = torch.arange(kh * kw).view(kh, kw)
        mask = (flat < kh // 2 * kw + kw // 2 + (kind == "B")).float().expand_as(self.weight)
        self.register_buffer("mask", mask)

    def forward(self, x):
        self.weight.data = self.weight.data * self.mask
        return super().forward(x)


class PixelCNN(nn.Module):
    def __init__(self, levels, width=5, depth=2):
        super().__init__()
        layers = [MaskedConv2d("A", 1, width, 5, padding=2), nn.ReLU()]
        for _ in range(depth):
            layers += [MaskedConv2d("B", width, width, 3, padding=1), nn.ReLU()]
        self.net = nn.Sequential(*layers, nn.Conv2d(width, levels, 1))

    def forward(self, x):
        return self.net(x)


def train(model, images, steps):
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(steps):
        loss = F.cross_entropy(model(images), (images[:, 0] * 3).long())
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(84)
    model = PixelCNN(levels=4)
    loss = train(model, torch.rand(3, 1, 6, 6), steps=2)
    return {"loss": loss, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
