import torch
import torch.nn as nn


class DiagonalSSM(nn.Module):
    def __init__(self, width, state):
        super().__init__()
        self.log_a = nn.Parameter(torch.linspace(-2, 0, state))
        self.b = nn.Linear(width, state, bias=False)
        self.c = nn.Parameter(torch.randn(state) / state)

    def decay(self):
        return torch.exp(-torch.exp(self.log_a))

    def readout(self, state):
        return (state * self.c).sum(-1)

    def forward(self, u):
        state = u.new_zeros(u.size(1), self.c.numel())
        ys = []
        for ut in u:
            state = state + self.b(ut)
            ys.append(self.readout(state))
            state = state * self.decay()
        return torch.stack(ys)


def main():
    torch.manual_seed(42)
    ssm = DiagonalSSM(2, 4)
    y = ssm(torch.randn(6, 3, 2))
    (y - 1).square().mean().backward()
    return {n: p.grad for n, p in ssm.named_parameters()}


if __name__ == "__main__":
    main()
