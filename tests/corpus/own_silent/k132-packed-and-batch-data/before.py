from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@dataclass
class Batch:
    data: torch.Tensor
    lengths: list
    meta: dict

    def sort_(self):
        order = sorted(range(len(self.lengths)), key=lambda i: -self.lengths[i])
        self.data = self.data[order]
        self.lengths = [self.lengths[i] for i in order]
        return self


def main():
    torch.manual_seed(315)
    rnn, drop = nn.GRU(2, 3, batch_first=True), nn.Dropout(0.3)
    batch = Batch(torch.randn(3, 5, 2), [2, 5, 3], {})
    batch.sort_().meta.update(sorted=True)
    packed = pack_padded_sequence(batch.data, batch.lengths, batch_first=True)
    packed = packed._replace(data=drop(packed.data))
    out, _ = pad_packed_sequence(rnn(packed)[0], batch_first=True)
    batch = replace(batch, data=out)
    batch.data = batch.data * 2
    batch.data.square().sum().backward()
    return {n: p.grad for n, p in rnn.named_parameters()}


if __name__ == "__main__":
    main()
