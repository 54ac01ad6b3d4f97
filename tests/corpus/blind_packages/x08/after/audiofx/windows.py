from functools import lru_cache

import torch


@lru_cache(maxsize=None)
def hann(size):
    w = torch.arange(size, dtype=torch.get_default_dtype())
    w.mul_(2 * torch.pi / size).cos_().neg_().add_(1.0).mul_(0.5)
    return w


def frame(wav, size, hop):
    frames = wav.unfold(-1, size, hop).clone()
    frames *= hann(size)
    return frames
