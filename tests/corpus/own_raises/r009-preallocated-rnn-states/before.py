import torch
from torch import nn


class Unroller(nn.Module):
    def __init__(self, cell: nn.RNNCell, horizon: int):
        super().__init__()
        self.cell = cell
        self.horizon = horizon

    def forward(self, inputs):
        batch = inputs.size(1)
        states = torch.zeros(self.horizon + 1, batch, self.cell.hidden_size)
        for t in range(self.horizon):
            states[t + 1] = self.cell(inputs[t], states[t])
        return states[1:]


def main():
    torch.manual_seed(0)
    net = Unroller(nn.RNNCell(3, 4), horizon=5)
    trajectory = net(torch.randn(5, 2, 3))
    trajectory.diff(dim=0).abs().mean().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
