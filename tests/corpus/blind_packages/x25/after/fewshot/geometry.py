import torch


def unit_rows_(x, eps=1e-8):
    return x / x.norm(dim=-1, keepdim=True).clamp(min=eps)


@torch.no_grad()
def init_orthogonal_(w):
    q, _ = torch.linalg.qr(w.t())
    return w.copy_(q.t())


def sqdist(a, b):
    d = a.pow(2).sum(-1, keepdim=True) + b.pow(2).sum(-1)
    d -= 2 * a @ b.t()
    return d
