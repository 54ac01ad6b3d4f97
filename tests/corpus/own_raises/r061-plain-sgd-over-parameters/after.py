import torch
from torch import nn


class GradientDescent:
    def __init__(self, params, lr, clip=None):
        self.params = list(params)
        self.lr, self.clip = lr, clip

    def zero_grad(self):
        for p in self.params:
            p.grad = None

    @torch.no_grad()
    def step(self):
        for p in self.params:
            g = p.grad
            if self.clip is not None:
                g = g.clamp(-self.clip, self.clip)
            p.sub_(self.lr * g)


def main():
    torch.manual_seed(70)
    model = nn.Sequential(nn.Linear(3, 6), nn.ELU(), nn.Linear(6, 1))
    opt = GradientDescent(model.parameters(), lr=0.05, clip=1.0)
    for _ in range(2):
        x = torch.randn(8, 3)
        loss = (model(x).squeeze(1) - x.norm(dim=1)).abs().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
