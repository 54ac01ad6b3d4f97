import torch
import torch.nn as nn


class Lion:
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), wd=0.1):
        self.params = [p for p in params if p.requires_grad]
        self.m = [torch.zeros_like(p) for p in self.params]
        self.lr, self.betas, self.wd = lr, betas, wd

    @torch.no_grad()
    def step(self):
        grads = [p.grad for p in self.params]
        b1, b2 = self.betas
        upd = torch._foreach_mul(self.m, b1)
        torch._foreach_add_(upd, grads, alpha=1 - b1)
        torch._foreach_sign_(upd)
        torch._foreach_mul_(self.params, 1 - self.lr * self.wd)
        torch._foreach_add_(self.params, upd, alpha=-self.lr)
        torch._foreach_lerp_(self.m, grads, 1 - b2)

    def zero_grad(self):
        for p in self.params:
            p.grad = None


def main():
    torch.manual_seed(209)
    net = nn.Sequential(nn.Linear(4, 9), nn.Sigmoid(), nn.Linear(9, 2))
    opt = Lion(net.parameters())
    for _ in range(3):
        x, y = torch.randn(10, 4), torch.randint(0, 2, (10,))
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return {n: p.detach() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
