import copy
import contextlib

import torch
import torch.nn as nn


def swap_storages(a: nn.Module, b: nn.Module) -> None:
    for p, q in zip(a.parameters(), b.parameters()):
        sp, sq = p.untyped_storage(), q.untyped_storage()
        held = sp.clone()
        sp.copy_(sq)
        sq.copy_(held)


class Averaged:
    def __init__(self, model: nn.Module, decay: float):
        self.shadow = copy.deepcopy(model)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for s, p in zip(self.shadow.parameters(), model.parameters()):
            s.lerp_(p, 1 - self.decay)

    @contextlib.contextmanager
    def installed(self, model):
        swap_storages(model, self.shadow)
        try:
            yield model
        finally:
            swap_storages(model, self.shadow)


def build():
    return nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.Tanh(), nn.Linear(8, 2))


def main():
    torch.manual_seed(31)
    net = build()
    ema = Averaged(net, 0.5)
    opt = torch.optim.SGD(net.parameters(), lr=0.3)
    x, y = torch.randn(12, 4), torch.randint(0, 2, (12,))
    for _ in range(3):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(x), y)
        loss.backward()
        with ema.installed(net):
            val = nn.functional.cross_entropy(net(x), y).detach()
            pass
        opt.step()
        ema.update(net)
    return {"val": val, **{n: p.detach().clone() for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
