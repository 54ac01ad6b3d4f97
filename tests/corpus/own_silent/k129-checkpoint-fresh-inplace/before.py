import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Bottleneck(nn.Module):
    def __init__(self, ch, with_cp=True):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(ch, ch, 1), nn.Conv2d(ch, ch, 3, padding=1)
        self.norm1, self.norm2 = nn.GroupNorm(1, ch), nn.GroupNorm(1, ch)
        self.relu = nn.ReLU(inplace=True)
        self.with_cp = with_cp

    def forward(self, x):
        def _inner_forward(x):
            identity = x
            out = self.relu(self.norm1(self.conv1(x)))
            out = self.norm2(self.conv2(out))
            out += identity
            return out

        if self.with_cp and x.requires_grad:
            out = checkpoint(_inner_forward, x, use_reentrant=False)
        else:
            out = _inner_forward(x)
        return self.relu(out)


def main():
    torch.manual_seed(285)
    net = nn.Sequential(nn.Conv2d(1, 2, 1), Bottleneck(2), Bottleneck(2, with_cp=False), Bottleneck(2))
    net(torch.randn(2, 1, 5, 5)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
