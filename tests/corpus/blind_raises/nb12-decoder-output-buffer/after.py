import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[1]


class StepDecoder(nn.Module):
    def __init__(self, targets, hidden):
        super().__init__()
        self.cell = nn.LSTMCell(targets, hidden)
        self.fc = nn.Linear(hidden, targets)

    def forward(self, step_input, state):
        state = self.cell(step_input, state)
        return self.fc(state[0]), state


class Seq2SeqForecaster(nn.Module):
    def __init__(self, features=3, targets=2, hidden=5, horizon=4, teacher_forcing=0.5):
        super().__init__()
        self.horizon, self.targets = horizon, targets
        self.teacher_forcing = teacher_forcing
        self.encoder = Encoder(features, hidden)
        self.decoder = StepDecoder(targets, hidden)

    def forward(self, history, future=None, generator=None):
        h, c = self.encoder(history)
        state = (h.squeeze(0), c.squeeze(0))
        step_input = history[:, -1, : self.targets]
        outputs = []
        for i in range(self.horizon):
            out, state = self.decoder(step_input, state)
            outputs.append(out)
            forced = future is not None and torch.rand((), generator=generator) < self.teacher_forcing
            step_input = future[:, i] if forced else out
        return torch.stack(outputs, dim=1)


class PinballLoss(nn.Module):
    def __init__(self, quantile):
        super().__init__()
        self.quantile = quantile

    def forward(self, prediction, target):
        error = target - prediction
        return torch.maximum(self.quantile * error, (self.quantile - 1) * error).mean()


def main():
    torch.manual_seed(0)
    model = Seq2SeqForecaster()
    history, future = torch.randn(3, 6, 3), torch.randn(3, 4, 2)
    prediction = model(history, future, torch.Generator().manual_seed(4))
    PinballLoss(0.7)(prediction, future).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
