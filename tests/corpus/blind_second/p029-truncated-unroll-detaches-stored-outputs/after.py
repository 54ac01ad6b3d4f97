import torch
import torch.nn as nn


class EventEncoder(nn.Module):
    def __init__(self, inputs, hidden, truncate):
        super().__init__()
        self.cell = nn.GRUCell(inputs, hidden)
        self.readout = nn.Linear(hidden, 1)
        self.truncate = truncate

    def forward(self, events):
        h = events.new_zeros(events.size(0), self.cell.hidden_size)
        states = []
        for t, x in enumerate(events.unbind(1)):
            if t and t % self.truncate == 0:
                h = h.detach()
            h = self.cell(x, h)
            states.append(h)
        return self.readout(torch.stack(states, 1)).squeeze(-1)


class SurvivalObjective:
    def __init__(self, horizon):
        self.weights = torch.linspace(1.0, 0.2, horizon)

    def __call__(self, log_hazard, died):
        hazard = torch.nn.functional.softplus(log_hazard)
        survival = torch.exp(-hazard.cumsum(1))
        return ((survival - (1 - died)) ** 2 * self.weights).mean()


def main():
    torch.manual_seed(31)
    model = EventEncoder(3, 5, truncate=3)
    events = torch.randn(4, 9, 3)
    died = (torch.arange(9) > torch.tensor([[2], [5], [7], [9]])).float()
    loss = SurvivalObjective(9)(model(events), died)
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
