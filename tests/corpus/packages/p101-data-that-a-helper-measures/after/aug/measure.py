import torch


def amplitude(x):
    return torch.sqrt(torch.mean(torch.pow(x, 2), dim=-1, keepdim=True))
