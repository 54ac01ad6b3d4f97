import copy

import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(1, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, x):
        return self.layers(x)


def line_tasks(n, seed):
    g = torch.Generator().manual_seed(seed)
    for _ in range(n):
        slope, shift = torch.randn(2, generator=g)
        x = torch.rand(8, 1, generator=g) * 2 - 1
        yield x, slope * x + shift


def inner_loop(model, x, y, steps, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()


def outer_loop(model, tasks, epsilon):
    for x, y in tasks:
        start = copy.deepcopy(model.state_dict())
        inner_loop(model, x, y, steps=3, lr=0.1)
        with torch.no_grad():
            for name, p in model.named_parameters():
                moved = p.clone()
                p.copy_(start[name])
                p.lerp_(moved, epsilon)


def main():
    torch.manual_seed(91)
    model = Regressor(8)
    outer_loop(model, line_tasks(3, seed=6), epsilon=0.25)
    return {n: p.detach().clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
