from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class CGState:
    x: Tensor
    r: Tensor
    p: Tensor
    rr: Tensor


class NormalOperator(nn.Module):
    """A^T A + diag(lambda) for a fixed sensing matrix and learned weights."""

    def __init__(self, sensing: Tensor):
        super().__init__()
        self.register_buffer("gram", sensing.t() @ sensing)
        self.log_lambda = nn.Parameter(torch.zeros(sensing.shape[1]))

    def forward(self, v: Tensor) -> Tensor:
        return v @ self.gram + v * self.log_lambda.exp()


def dot(a: Tensor, b: Tensor) -> Tensor:
    return (a * b).sum(dim=1, keepdim=True)


def advance(op: NormalOperator, s: CGState) -> CGState:
    ap = op(s.p)
    alpha = s.rr / dot(s.p, ap)
    x = s.x + alpha * s.p
    r = s.r - alpha * ap
    rr = dot(r, r)
    s.p.mul_(rr / s.rr).add_(r)
    return CGState(x, r, s.p, rr)


def solve(op: NormalOperator, rhs: Tensor, iterations: int) -> Tensor:
    state = CGState(torch.zeros_like(rhs), rhs, rhs.clone(), dot(rhs, rhs))
    for _ in range(iterations):
        state = advance(op, state)
    return state.x


class Reconstructor(nn.Module):
    def __init__(self, measurements: int, pixels: int):
        super().__init__()
        sensing = torch.randn(measurements, pixels) / measurements ** 0.5
        self.register_buffer("sensing", sensing)
        self.op = NormalOperator(sensing)

    def forward(self, y: Tensor) -> Tensor:
        return solve(self.op, y @ self.sensing, iterations=3)


def main():
    torch.manual_seed(0)
    net = Reconstructor(4, 6)
    truth = torch.randn(3, 6)
    (net(truth @ net.sensing.t()) - truth).abs().mean().backward()
    return {"log_lambda": net.op.log_lambda.grad}


if __name__ == "__main__":
    main()
