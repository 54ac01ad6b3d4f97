import torch
from torch import nn


class ConfigBuilder:
    def __init__(self):
        self.options = {}

    def set_(self, **kw):
        self.options.update(kw)
        return self

    def fill_(self, value):
        self.options.setdefault("fill", value)
        return self

    def copy_(self, other):
        self.options |= other.options
        return self

    def __iadd__(self, other):
        self.options.setdefault("extra", []).extend(other)
        return self


class Grid:
    def __init__(self, rows):
        self.rows = rows

    def __setitem__(self, key, value):
        self.rows = [value if i == key else r for i, r in enumerate(self.rows)]


def main():
    torch.manual_seed(325)
    cfg = ConfigBuilder().set_(dim=3).fill_(0.5).copy_(ConfigBuilder().set_(depth=2))
    cfg += ["tanh", "gelu"]
    net = nn.Sequential(*(nn.Linear(cfg.options["dim"], cfg.options["dim"]) for _ in range(cfg.options["depth"])))
    grid = Grid([torch.randn(3), torch.randn(3)])
    h = torch.sigmoid(net(grid.rows[0]))
    grid[0] = h * cfg.options["fill"]
    (h.log() + grid.rows[0]).sum().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
