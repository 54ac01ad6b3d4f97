import torch
from torch import nn


class Ablation:
    def __init__(self, module, units):
        self.units = list(units)
        self.handle = module.register_forward_hook(self.zero)

    def zero(self, module, args, output):
        output.detach()[:, self.units] = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.handle.remove()


def main():
    torch.manual_seed(301)
    net = nn.Sequential(nn.Linear(4, 6), nn.LeakyReLU(0.3), nn.Linear(6, 1))
    x, y = torch.randn(7, 4), torch.randn(7, 1)
    with Ablation(net[0], (0, 3)):
        loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
