import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Annealed(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.score = nn.Linear(d, k)
        self.book = nn.Parameter(torch.randn(k, d))
        self.tau = torch.tensor(1.0)

    def segment(self, x, tau):
        def inner(v):
            return (self.score(v) / tau).softmax(-1) @ self.book
        return checkpoint(inner, x, use_reentrant=False)

    def forward(self, x):
        return self.segment(x, self.tau.clone())

    def anneal(self, rate):
        self.tau.mul_(rate)


def main():
    torch.manual_seed(66)
    net = Annealed(4, 3)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.randn(3, 6, 4):
        loss = (net(x) - x).square().mean()
        net.anneal(0.5)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {"score": net.score.weight.grad, "book": net.book.grad}


if __name__ == "__main__":
    main()
