import torch
from torch import nn


def unit_rows(module, args):
    w = module.weight.data
    module.weight.data = w / (w.flatten(1).norm(dim=1).view(-1, *[1] * (w.dim() - 1)))


class CosineNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(1, 3, 3), nn.Linear(3, 2, bias=False)
        self.fc.register_forward_pre_hook(unit_rows)
        self.conv.register_forward_pre_hook(unit_rows)

    def forward(self, x):
        return self.fc(self.conv(x).tanh().mean((2, 3)))


def main():
    torch.manual_seed(485)
    net = CosineNet()
    opt = torch.optim.SGD(net.parameters(), lr=0.3)
    for _ in range(3):
        opt.zero_grad()
        nn.functional.cross_entropy(net(torch.randn(4, 1, 5, 5)), torch.randint(0, 2, (4,))).backward()
        opt.step()
    return {n: p for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
