import torch
from torch import nn
from torch.func import functional_call


def adapt(net, params, x, y, lr):
    loss = nn.functional.mse_loss(functional_call(net, params, (x,)), y)
    grads = torch.autograd.grad(loss, list(params.values()), create_graph=True)
    return {k: p - lr * g for (k, p), g in zip(params.items(), grads)}


def main():
    torch.manual_seed(635)
    net = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
    meta = torch.optim.Adam(net.parameters(), lr=0.05)
    for _ in range(2):
        meta.zero_grad()
        outer = torch.zeros(())
        for _ in range(3):
            fast = dict(net.named_parameters())
            x, y = torch.randn(5, 2), torch.randn(5, 1)
            for _ in range(2):
                fast = adapt(net, fast, x, y, 0.1)
            outer += nn.functional.mse_loss(functional_call(net, fast, (torch.randn(5, 2),)), torch.randn(5, 1))
        outer /= 3
        outer.backward()
        for p in net.parameters():
            p.grad.clamp_(-1, 1)
        meta.step()
    return dict(net.named_parameters())


if __name__ == "__main__":
    main()
