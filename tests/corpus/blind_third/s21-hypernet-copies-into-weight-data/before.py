import torch
import torch.nn as nn
from torch.func import functional_call


class HyperNet(nn.Module):
    """Maps a task embedding to the weights of a small target network."""

    def __init__(self, n_tasks, emb, target):
        super().__init__()
        self.task = nn.Embedding(n_tasks, emb)
        self.shapes = {n: p.shape for n, p in target.named_parameters()}
        self.gen = nn.Linear(emb, sum(s.numel() for s in self.shapes.values()))

    def forward(self, t):
        flat = self.gen(self.task(t))
        sizes = [s.numel() for s in self.shapes.values()]
        return {n: w.view(s) for (n, s), w in zip(self.shapes.items(), flat.split(sizes))}


def forward_task(hyper, target, t, x):
    weights = hyper(t)
    for name, p in target.named_parameters():
        p.data.copy_(weights[name])
    return target(x)


def main():
    torch.manual_seed(121)
    target = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    hyper = HyperNet(3, 5, target)
    opt = torch.optim.Adam(hyper.parameters(), lr=1e-2)
    loss = 0.0
    for t in range(3):
        x, y = torch.randn(6, 3), torch.randn(6, 1)
        loss = loss + nn.functional.mse_loss(forward_task(hyper, target, torch.tensor(t), x), y)
    loss = loss + 1e-3 * hyper.task.weight.pow(2).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return {n: p.grad if p.grad is not None else torch.zeros_like(p) for n, p in hyper.named_parameters()}


if __name__ == "__main__":
    main()
