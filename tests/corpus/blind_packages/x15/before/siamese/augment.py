import torch


def jitter_(x, strength):
    return x.add_(torch.randn_like(x), alpha=strength)


def two_views(x, strength=0.1):
    return jitter_(x.clone(), strength), jitter_(x.clone(), strength)
