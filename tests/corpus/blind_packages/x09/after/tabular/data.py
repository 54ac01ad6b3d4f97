import torch


def make_table(n, d):
    x = torch.randn(n, d)
    x[:, 0] *= 10.0
    x[x < -2] = 0.0
    y = x.sum(1, keepdim=True).mul_(0.1)
    y += 0.01 * torch.randn(n, 1)
    return x, y
