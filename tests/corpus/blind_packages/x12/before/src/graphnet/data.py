import torch


def ring_graph(n):
    src = torch.arange(n)
    dst = src.clone().add_(1).remainder_(n)
    return torch.stack([src, dst])
