import torch
from torch import nn


class Momentum:
    def __init__(self, dims):
        self.buffers = [torch.zeros(1)] * len(dims)
        self.log = dict.fromkeys(map(str, dims), 0.0)

    def add(self, grads):
        for i, g in enumerate(grads):
            self.buffers[i] = 0.9 * self.buffers[i] + g
            self.log[str(len(g))] += float(g.norm())
        return self.buffers


def descend(f, x, steps, lr):
    path = [x]
    for _ in range(steps):
        g, = torch.autograd.grad(f(x), x)
        prev = x
        x = (x - lr * g).detach().clone().requires_grad_()
        path.append(x)
        if (x - prev).norm() < 1e-6:
            break
    return path


def main():
    torch.manual_seed(515)
    a = torch.randn(3, 3)
    path = descend(lambda v: (a @ v - 1).square().sum(), torch.zeros(3, requires_grad=True), 6, 0.02)
    m = Momentum((3, 2))
    for p in path[1:]:
        m.add([p.detach(), p.detach()[:2]])
    return {"path": torch.stack(path), "m0": m.buffers[0], "m1": m.buffers[1], "log": torch.tensor(list(m.log.values()))}


if __name__ == "__main__":
    main()
