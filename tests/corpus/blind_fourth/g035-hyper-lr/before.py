import torch
import torch.nn as nn


class Meter:
    def __init__(self):
        self.parts = []

    def push(self, v):
        self.parts.append(v)

    @property
    def mean(self):
        return torch.stack(self.parts).mean()


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(3, 7)
        self.b = nn.Linear(7, 1)

    def forward(self, x):
        return self.b(torch.sigmoid(self.a(x)))


def nudge(model, loss, lr):
    params = list(model.parameters())
    grads = torch.autograd.grad(loss, params, retain_graph=True)
    with torch.no_grad():
        for p, g in zip(params, grads):
            p.sub_(lr * g)


def main():
    torch.manual_seed(40)
    net, meter = Regressor(), Meter()
    for x in torch.randn(3, 5, 3):
        loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
        nudge(net, loss, 0.05)
        meter.push(loss)
    meter.mean.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
