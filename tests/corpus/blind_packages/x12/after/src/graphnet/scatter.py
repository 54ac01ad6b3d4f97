import torch


def aggregate_into(nodes, messages, index):
    """Sum messages on their target rows of `nodes`."""
    nodes.index_add_(0, index, messages)
    return nodes


def degree(index, n):
    deg = torch.zeros(n)
    deg.index_add_(0, index, torch.ones(index.numel()))
    return deg.clamp_(min=1)
