import torch
import torch.nn as nn


class ScaledTrainer:
    def __init__(self, net, lr=0.05, scale=1024.0, max_norm=0.5, noise=0.01):
        self.net, self.lr, self.scale, self.max_norm, self.noise = net, lr, scale, max_norm, noise
        self.gen = torch.Generator().manual_seed(7)

    def backward(self, loss):
        (loss * self.scale).backward()
        grads = [p.grad for p in self.net.parameters()]
        torch._foreach_mul_(grads, 1.0 / self.scale)
        total = torch.stack([g.norm() for g in grads]).norm()
        coef = self.max_norm / (total + 1e-6)
        if coef < 1:
            for g in grads:
                g.mul_(coef)
        for g in grads:
            g.add_(torch.randn(g.shape, generator=self.gen), alpha=self.noise)
        return total

    @torch.no_grad()
    def step(self):
        for p in self.net.parameters():
            p -= self.lr * p.grad
            p.grad = None


def main():
    torch.manual_seed(210)
    net = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 1))
    tr = ScaledTrainer(net)
    norms = []
    for _ in range(3):
        x = torch.randn(9, 6)
        norms.append(tr.backward((net(x).squeeze(-1) - x[:, 0]).pow(2).mean()))
        tr.step()
    return {"norms": torch.stack(norms), **{n: p.detach() for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
