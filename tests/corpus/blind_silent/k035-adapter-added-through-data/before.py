from functools import reduce

import torch
import torch.nn as nn


class Bottleneck(nn.Module):
    def __init__(self, dim, rank):
        super().__init__()
        self.down, self.up = nn.Linear(dim, rank), nn.Linear(rank, dim)

    def forward(self, x):
        return self.up(torch.relu(self.down(x)))


class AdapterPlugin:
    """Attaches adapters to named submodules of a frozen backbone."""

    def __init__(self, backbone: nn.Module, names, rank=2):
        self.adapters = nn.ModuleDict()
        for name in names:
            target = reduce(getattr, name.split("."), backbone)
            adapter = Bottleneck(target.out_features, rank)
            self.adapters[name.replace(".", "_")] = adapter
            target.register_forward_hook(self._make_hook(adapter))

    @staticmethod
    def _make_hook(adapter):
        def hook(module, inputs, output):
            output.data.add_(adapter(output))
            return output

        return hook


class Backbone(nn.Module):
    def __init__(self, dim=6):
        super().__init__()
        self.enc = nn.ModuleDict({"a": nn.Linear(4, dim), "b": nn.Linear(dim, dim)})
        self.cls = nn.Linear(dim, 2)

    def forward(self, x):
        return self.cls(torch.tanh(self.enc["b"](torch.tanh(self.enc["a"](x)))))


def main():
    torch.manual_seed(157)
    net = Backbone()
    plugin = AdapterPlugin(net, ["enc.b"])
    x, y = torch.randn(7, 4), torch.randint(0, 2, (7,))
    nn.functional.cross_entropy(net(x), y).backward()
    grads = {n: torch.zeros_like(p) if p.grad is None else p.grad for n, p in plugin.adapters.named_parameters()}
    return {**grads, "cls": net.cls.weight.grad}


if __name__ == "__main__":
    main()
