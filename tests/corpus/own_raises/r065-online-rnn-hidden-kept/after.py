import torch
from torch import nn


class OnlineForecaster(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.cell = nn.LSTMCell(1, width)
        self.read = nn.Linear(width, 1)
        self.memory = None

    def forward(self, value):
        self.memory = self.cell(value, self.memory)
        return self.read(self.memory[0])

    def forget_graph(self):
        self.memory = tuple(m.detach() for m in self.memory)


def stream(model, series, lr):
    optimiser = torch.optim.Adam(model.parameters(), lr=lr)
    errors = []
    for now, nxt in zip(series[:-1], series[1:]):
        guess = model(now.view(1, 1))
        loss = (guess - nxt).square().sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        model.forget_graph()
        errors.append(loss.item())
    return errors


def main():
    torch.manual_seed(74)
    model = OnlineForecaster()
    stream(model, torch.sin(torch.arange(5.0)), lr=0.01)
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
