import torch
import torch.nn as nn


class StackedRHN(nn.Module):
    def __init__(self, inputs, hidden, depth):
        super().__init__()
        sizes = [inputs] + [hidden] * (depth - 1)
        self.cells = nn.ModuleList(nn.RNNCell(s, hidden) for s in sizes)
        self.hidden = hidden

    def initial(self, batch):
        return [torch.zeros(batch, self.hidden) for _ in self.cells]

    def forward(self, series, state=None):
        state = self.initial(series.size(0)) if state is None else list(state)
        trace = {}
        for t, x in enumerate(series.unbind(1)):
            for k, cell in enumerate(self.cells):
                state = [cell(x, s) if j == k else s for j, s in enumerate(state)]
                x = state[k] if k == 0 else x + state[k]
            trace = {**trace, t: x}
        return torch.stack([trace[t] for t in sorted(trace)], dim=1), state


class Ensemble(nn.Module):
    def __init__(self, members):
        super().__init__()
        self.members = nn.ModuleList(members)

    def forward(self, series):
        outputs = [member(series)[0] for member in self.members]
        outputs = outputs[:-1] + [outputs[-1] * 0.5]
        return sum(outputs) / len(outputs)


def main():
    torch.manual_seed(104)
    model = Ensemble([StackedRHN(2, 4, 2), StackedRHN(2, 4, 3)])
    series = torch.randn(3, 6, 2)
    target = series.cumsum(1).repeat(1, 1, 2)
    nn.functional.smooth_l1_loss(model(series), target).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
