import numpy as np
import torch


class ChunkReader:
    """Iterates over a long recording without allocating for each chunk."""

    def __init__(self, table, chunk):
        self.table = table
        self.chunk = chunk
        self.scratch = np.empty((chunk, table.shape[1]), dtype=table.dtype)

    def __iter__(self):
        view = torch.from_numpy(self.scratch)
        for start in range(0, len(self.table), self.chunk):
            np.copyto(self.scratch, self.table[start:start + self.chunk])
            yield view[:, :-1], view[:, -1:]
