import torch
import torch.nn as nn


class Config(dict):
    __getattr__ = dict.__getitem__


class CrossLayer(nn.Module):
    def __init__(self, cfg, act):
        super().__init__()
        self.act = act
        self.gate = nn.Linear(cfg.width, cfg.width)
        self.mix = nn.Linear(cfg.width, cfg.width)

    def forward(self, x0, x):
        g = torch.sigmoid(self.gate(x))
        return x0 * g + self.mix(self.act(x))


class CrossNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        act = nn.ReLU()
        self.inp = nn.Linear(cfg.fields, cfg.width)
        self.layers = nn.ModuleList(CrossLayer(cfg, act) for _ in range(cfg.depth))
        self.out = nn.Linear(cfg.width, 1)

    def forward(self, f):
        x0 = self.inp(f)
        x = torch.tanh(x0)
        for layer in self.layers:
            x = layer(x0, x)
        return self.out(x).squeeze(-1)


def main():
    torch.manual_seed(100)
    net = CrossNet(Config(fields=4, width=6, depth=2))
    y = net(torch.randn(8, 4))
    nn.functional.binary_cross_entropy_with_logits(y, (torch.rand(8) > 0.5).float()).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
