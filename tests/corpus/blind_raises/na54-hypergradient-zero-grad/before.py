import torch
from torch import nn


class GradNormPenalty:
    def __init__(self, model, weight=0.1):
        self.model = model
        self.weight = weight

    def per_parameter(self):
        for name, p in self.model.named_parameters():
            if p.grad is not None:
                yield name, p.grad

    def __call__(self):
        return self.weight * sum(g.square().sum() for _, g in self.per_parameter())


class Regressor(nn.Module):
    def __init__(self, din=3, width=6):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(din, width), nn.Softplus(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x).squeeze(1)


class FlatMinimaTrainer:
    def __init__(self, model, lr=0.05):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)
        self.penalty = GradNormPenalty(model)

    def clear(self):
        self.opt.zero_grad(set_to_none=False)

    def step(self, x, y):
        self.clear()
        loss = (self.model(x) - y).square().mean()
        loss.backward(create_graph=True)
        extra = self.penalty()
        self.clear()
        (loss + extra).backward()
        grads = {n: g.detach().clone() for n, g in self.penalty.per_parameter()}
        self.opt.step()
        self.opt.zero_grad()
        return grads


def main():
    torch.manual_seed(0)
    trainer = FlatMinimaTrainer(Regressor())
    return trainer.step(torch.randn(7, 3), torch.randn(7))


if __name__ == "__main__":
    main()
