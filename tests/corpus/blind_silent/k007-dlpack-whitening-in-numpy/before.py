import torch
import torch.nn as nn
from torch.utils.dlpack import from_dlpack, to_dlpack


class Whitener:
    """Runs in another array library; tensors travel by DLPack."""

    def __init__(self, momentum=0.2):
        self.mean, self.momentum = None, momentum

    def __call__(self, capsule):
        arr = from_dlpack(capsule)
        batch_mean = arr.mean(dim=(0, 2, 3), keepdim=True)
        if self.mean is None:
            self.mean = batch_mean
        else:
            self.mean = self.mean + self.momentum * (batch_mean - self.mean)
        arr.sub_(self.mean)
        return to_dlpack(arr)


class Descriptor(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, padding=1)
        self.point = nn.Conv2d(3, 2, 1)
        self.whiten = Whitener()
        self.bank = []

    def remember(self, feat):
        flat = from_dlpack(self.whiten(to_dlpack(feat.detach())))
        self.bank.append(flat.mean(dim=(2, 3)))

    def forward(self, img):
        feat = torch.tanh(self.conv(img))
        desc = self.point(feat)
        self.remember(feat)
        return desc


def main():
    torch.manual_seed(13)
    net = Descriptor()
    total = 0.0
    for img in torch.randn(2, 2, 1, 6, 6):
        total = total + net(img).square().mean()
    total.backward()
    return {"bank": torch.cat(net.bank), **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
