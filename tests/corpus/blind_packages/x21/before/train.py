from survival.loop import Loop
from survival.callbacks import ConstraintCallback, GradPrinter
from survival.net import build_model

import torch


def main():
    torch.manual_seed(30)
    model = build_model(width=8)
    loop = Loop(model, torch.optim.SGD(model.parameters(), lr=0.05), [ConstraintCallback(0.5), GradPrinter()])
    x = torch.randn(12, 4)
    t = torch.rand(12, 1).add_(0.1)
    for _ in range(2):
        loop.step(x, t)


if __name__ == "__main__":
    main()
