import math

import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, dim, depth):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = nn.Parameter(torch.empty(1, 6, dim))
        self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(dim, 2, 8, 0.0, batch_first=True) for _ in range(depth))
        self.apply(self._init_weights)
        nn.init.trunc_normal_(self.pos, std=0.02)
        for name, p in self.named_parameters():
            if name.endswith("linear2.weight"):
                p.data.normal_(mean=0.0, std=0.02 / math.sqrt(2 * depth))

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            module.weight.data.normal_(mean=0.0, std=0.1)
            if module.bias is not None:
                module.bias.data.zero_()
        elif isinstance(module, nn.Embedding):
            module.weight.data.normal_(mean=0.0, std=0.1)
            if module.padding_idx is not None:
                module.weight.data[module.padding_idx].zero_()
        elif isinstance(module, nn.LayerNorm):
            module.bias.data.zero_()
            module.weight.data.fill_(1.0)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[:, : ids.size(1)]
        for block in self.blocks:
            x = block(x)
        return x.mean(1)


def main():
    torch.manual_seed(125)
    net = Encoder(9, 4, 2)
    net(torch.randint(0, 9, (3, 5))).square().sum().backward()
    return {"tok": net.tok.weight.grad, "pos": net.pos.grad}


if __name__ == "__main__":
    main()
