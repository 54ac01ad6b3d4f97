import torch


def padding_mask(lengths, n):
    """True where a key is padding; shape (batch, 1, 1, n)."""
    keep = torch.arange(n)[None, :] < lengths[:, None]
    mask = keep.logical_not_()
    return mask[:, None, None, :]


def zero_padded_(scores, mask):
    scores.masked_fill_(mask, float("-inf"))
    return scores
