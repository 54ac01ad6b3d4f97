import torch
from torch import nn


class SaliencyPair:
    """Input gradients of a fused two-stream net, each scaled to unit length for display."""

    def __init__(self, net):
        self.net = net

    def __call__(self, rgb, flow):
        rgb.requires_grad_(), flow.requires_grad_()
        score = self.net(rgb + flow).sum()
        maps = dict(zip(("rgb", "flow"), torch.autograd.grad(score, (rgb, flow))))
        raw = maps["flow"]
        maps["rgb"].abs_().div_(maps["rgb"].norm())
        return maps["rgb"], raw


def main():
    torch.manual_seed(681)
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Tanh(), nn.Flatten(), nn.Linear(18, 1))
    shown, raw = SaliencyPair(net)(torch.randn(2, 1, 5, 5), torch.randn(2, 1, 5, 5))
    return {"shown": shown, "raw": raw}


if __name__ == "__main__":
    main()
