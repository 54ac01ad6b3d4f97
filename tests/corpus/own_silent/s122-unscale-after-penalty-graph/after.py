import torch
from torch import nn


def penalised_step(net, opt, scaler, x, y, weight):
    opt.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    grads = torch.autograd.grad(scaler.scale(loss), list(net.parameters()), create_graph=True)
    penalty = sum(g.pow(2).sum() for g in grads)
    for p, g in zip(net.parameters(), grads):
        p.grad = g.detach().clone()
    scaler.unscale_(opt)
    (weight * penalty).backward()
    return penalty.detach()


def main():
    torch.manual_seed(211)
    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    x, y = torch.randn(5, 3), torch.randn(5, 1)
    penalty = penalised_step(net, opt, scaler, x, y, 0.01)
    return {"penalty": penalty, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
