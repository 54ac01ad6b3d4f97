import torch
from torch import nn


class Permute(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("order", torch.arange(dim).flip(0))

    def forward(self, x):
        return x[:, self.order], 0.0


class AffineCoupling(nn.Module):
    def __init__(self, dim, width):
        super().__init__()
        self.d = dim // 2
        self.inp = nn.Linear(self.d, width)
        self.out = nn.Linear(width, 2 * (dim - self.d))

    def conditioner(self, head):
        return self.out(torch.relu(self.inp(head))).chunk(2, dim=1)

    def forward(self, x):
        head, tail = x[:, : self.d], x[:, self.d :]
        log_s, t = self.conditioner(head)
        log_s = torch.tanh(log_s)
        tail = tail * log_s.exp() + t
        return torch.cat([head, tail], dim=1), log_s.sum(dim=1)


class Flow(nn.Module):
    def __init__(self, dim=4, depth=3):
        super().__init__()
        self.steps = nn.ModuleList()
        for _ in range(depth):
            self.steps += [AffineCoupling(dim, 8), Permute(dim)]

    def forward(self, x):
        x, logdet = x.clone(), 0.0
        for step in self.steps:
            x, ld = step(x)
            logdet = logdet + ld
        return x, logdet

    def nll(self, x):
        z, logdet = self(x)
        return (0.5 * z.square().sum(dim=1) - logdet).mean()


def main():
    torch.manual_seed(0)
    flow = Flow()
    flow.nll(torch.randn(6, 4)).backward()
    return {n: p.grad for n, p in flow.named_parameters()}


if __name__ == "__main__":
    main()
