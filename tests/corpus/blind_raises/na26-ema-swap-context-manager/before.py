from contextlib import contextmanager

import torch
from torch import nn


class ExponentialMovingAverage:
    def __init__(self, parameters, decay):
        self.decay = decay
        self.params = list(parameters)
        self.shadow = [p.clone().detach() for p in self.params]

    @torch.no_grad()
    def update(self):
        for s, p in zip(self.shadow, self.params):
            s.sub_((1 - self.decay) * (s - p))

    @contextmanager
    def average_parameters(self):
        with torch.no_grad():
            stored = [p.clone() for p in self.params]
            for p, s in zip(self.params, self.shadow):
                p.copy_(s)
        try:
            yield
        finally:
            with torch.no_grad():
                for p, old in zip(self.params, stored):
                    p.copy_(old)


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(2, 6)
        self.out = nn.Linear(6, 2)

    def forward(self, x, sigma):
        return self.out(torch.relu(self.embed(x))) / sigma


@torch.no_grad()
def validate(model, x, sigma):
    return model(x, sigma).norm(dim=-1).mean().item()


def train(model, ema, opt, steps):
    monitor = []
    for step in range(steps):
        x, sigma = torch.randn(5, 2), 0.5
        noise = torch.randn_like(x)
        loss = (model(x + sigma * noise, sigma) + noise / sigma).square().mean()
        if step % 2 == 0:
            with ema.average_parameters():
                monitor.append(validate(model, x, sigma))
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update()
    return torch.tensor(monitor)


def main():
    torch.manual_seed(0)
    model = Scorer()
    ema = ExponentialMovingAverage(model.parameters(), 0.9)
    monitor = train(model, ema, torch.optim.SGD(model.parameters(), lr=0.1), steps=2)
    return {"monitor": monitor, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
