import torch
from torch.func import functional_call, grad


class RunningKV:
    def __init__(self, length, d):
        self.keys = torch.zeros(length, d)

    def update(self, k, at):
        self.keys[at].copy_(k)
        return self.keys


def make_loss(module, cache):
    def loss(params, x, y):
        h = functional_call(module, params, (x,))
        keys = cache.update(h, 0)
        return (keys[0] * h - y).square().sum()

    return loss


def main():
    torch.manual_seed(64)
    module = torch.nn.Linear(3, 4)
    params = {n: p.detach() for n, p in module.named_parameters()}
    cache = RunningKV(2, 4)
    return dict(grad(make_loss(module, cache))(params, torch.randn(3), torch.randn(4)))


if __name__ == "__main__":
    main()
