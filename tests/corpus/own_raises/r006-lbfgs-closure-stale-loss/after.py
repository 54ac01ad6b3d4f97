import torch
from torch import nn


def fit(net, x, y, rounds):
    solver = torch.optim.LBFGS(net.parameters(), lr=0.5, max_iter=4)
    trace = []
    for _ in range(rounds):
        def closure():
            solver.zero_grad()
            loss = nn.functional.smooth_l1_loss(net(x), y)
            loss.backward()
            return loss

        loss = solver.step(closure)
        trace.append(loss.item())
    return trace


def main():
    torch.manual_seed(4)
    net = nn.Sequential(nn.Linear(2, 6), nn.Tanh(), nn.Linear(6, 1))
    x = torch.linspace(-1, 1, 24).view(12, 2)
    y = x.prod(1, keepdim=True)
    fit(net, x, y, rounds=2)
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
