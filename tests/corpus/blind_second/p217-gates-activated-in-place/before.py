import torch
import torch.nn as nn


class MinimalLSTMCell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.forget, self.write = nn.Linear(inputs + hidden, hidden), nn.Linear(inputs + hidden, hidden)
        self.output, self.cand = nn.Linear(inputs + hidden, hidden), nn.Linear(inputs + hidden, hidden)

    def forward(self, x, state):
        h, c = state
        joint = torch.cat([x, h], dim=1)
        f = self.forget(joint).sigmoid_()
        i = self.write(joint).sigmoid_()
        o = self.output(joint).sigmoid_()
        g = self.cand(joint).tanh_()
        c = (f * c).add_(i * g)
        return o * torch.tanh(c), c


class GlucoseModel(nn.Module):
    def __init__(self, inputs, hidden, horizon):
        super().__init__()
        self.cell = MinimalLSTMCell(inputs, hidden)
        self.head = nn.Linear(hidden, horizon)
        self.hidden = hidden

    def forward(self, series):
        state = (series.new_zeros(len(series), self.hidden),) * 2
        for x in series.unbind(1):
            state = self.cell(x, state)
        return self.head(state[0])


def pinball(pred, target, q):
    diff = target - pred
    return torch.maximum(q * diff, (q - 1) * diff).mean()


def main():
    torch.manual_seed(97)
    net = GlucoseModel(3, 5, 2)
    loss = pinball(net(torch.randn(4, 7, 3)), torch.randn(4, 2), q=0.9)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
