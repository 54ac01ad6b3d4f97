import torch
import torch.nn.functional as F


class MemoryBank:
    """Circular store of normalised keys."""

    def __init__(self, size, dim, seed=0):
        gen = torch.Generator().manual_seed(seed)
        self.keys = F.normalize(torch.randn(size, dim, generator=gen), dim=1)
        self.hits = torch.zeros(size, dtype=torch.long)

    def __len__(self):
        return self.keys.shape[0]

    def __getitem__(self, idx):
        self.hits[idx] += 1
        return self.keys[idx].clone()

    def __setitem__(self, idx, value):
        self.keys.index_copy_(0, idx, value.detach())
        self.hits[idx] = 0


BANK = MemoryBank(size=16, dim=6)
