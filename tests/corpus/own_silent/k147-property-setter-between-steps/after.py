import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.fc = nn.Linear(dim, dim)
        self.raw = nn.Parameter(torch.zeros(()))

    @property
    def openness(self):
        return torch.sigmoid(self.raw)

    @openness.setter
    def openness(self, value):
        self.raw.data = torch.logit(torch.tensor(value))

    def forward(self, x):
        return x + self.openness * self.fc(x)


def main():
    torch.manual_seed(465)
    gate, schedule = Gate(3), [0.2, 0.5, 0.9]
    opt = torch.optim.SGD(gate.parameters(), lr=0.1)
    for value in schedule:
        gate.openness = value
        loss = gate(torch.randn(4, 3)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    gate.openness = 0.99
    return {"raw": gate.raw, "raw_grad": gate.raw.grad, "fc": gate.fc.weight}


if __name__ == "__main__":
    main()
