import torch
import torch.nn as nn


def critic(obs=3, act=2):
    return nn.Sequential(nn.Linear(obs + act, 12), nn.Tanh(), nn.Linear(12, 1))


def swap_(a, b):
    """Exchange the weights of two critics without touching the optimizers."""
    for pa, pb in zip(a.parameters(), b.parameters()):
        keep = pa.data.clone()
        pa.data.copy_(pb.data)
        pb.data.copy_(keep)


class DoubleQ:
    def __init__(self):
        self.qa, self.qb = critic(), critic()
        self.opt = torch.optim.Adam([*self.qa.parameters(), *self.qb.parameters()], lr=1e-2)

    def update(self, sa, target, flip):
        q = self.qa(sa).squeeze(-1)
        with torch.no_grad():
            other = self.qb(sa).squeeze(-1)
        loss = (q - target).pow(2).mean() + 0.1 * (q - other).pow(2).mean()
        if flip:
            swap_(self.qa, self.qb)
        self.opt.zero_grad()
        loss.backward()
        grads = [None if p.grad is None else p.grad.clone() for p in self.qa.parameters()]
        self.opt.step()
        return grads


def main():
    torch.manual_seed(111)
    agent = DoubleQ()
    for flip in (False, True):
        sa, target = torch.randn(9, 5), torch.randn(9)
        grads = agent.update(sa, target, flip)
    return {f"g{i}": g for i, g in enumerate(grads)}


if __name__ == "__main__":
    main()
