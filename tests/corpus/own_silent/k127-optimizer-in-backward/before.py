import torch
from torch import nn


def attach_sgd(model, lr):
    velocity = {}

    @torch.no_grad()
    def step(param):
        v = velocity.setdefault(param, torch.zeros_like(param))
        v.mul_(0.9).add_(param.grad)
        param.sub_(v, alpha=lr)
        param.grad = None

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(step)
    return velocity


def main():
    torch.manual_seed(265)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 5), nn.Tanh(), nn.Linear(5, 1))
    attach_sgd(net, 0.2)
    for _ in range(3):
        nn.functional.mse_loss(net(torch.randn(6, 3)), torch.randn(6, 1)).backward()
    return dict(net.named_parameters())


if __name__ == "__main__":
    main()
