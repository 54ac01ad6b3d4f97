import torch
import torch.nn as nn


class FeatureStats:
    def __init__(self, model, names):
        self.store, self.handles = {}, []
        for name in names:
            layer = model.get_submodule(name)
            self.handles.append(layer.register_forward_hook(self.record(name)))

    def record(self, name):
        def hook(module, args, output):
            sample = output.detach().clone().flatten(1)
            sample = sample - sample.mean(1, keepdim=True)
            sample = sample / sample.std(1, keepdim=True).clamp(min=1e-5)
            self.store[name] = sample
        return hook

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        while self.handles:
            self.handles.pop().remove()

    def similarity(self, a, b):
        ga, gb = (self.store[n] @ self.store[n].t() for n in (a, b))
        return (ga * gb).sum() / (ga.norm() * gb.norm())


def build():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.Tanh(),
        nn.Conv2d(4, 4, 3, padding=1), nn.Sigmoid(),
        nn.Flatten(), nn.Linear(100, 3),
    )


def main():
    torch.manual_seed(103)
    net = build()
    x, y = torch.randn(4, 1, 5, 5), torch.tensor([0, 1, 2, 1])
    with FeatureStats(net, ["1", "3"]) as stats:
        loss = nn.functional.cross_entropy(net(x), y)
        cka = stats.similarity("1", "3")
    loss.backward()
    return {"cka": cka, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
