import math

import torch
import torch.nn as nn


class Item2Vec(nn.Module):
    def __init__(self, items: int, dim: int, padding_idx: int = 0, std: float = 0.3):
        super().__init__()
        self.padding_idx, self.std = padding_idx, std
        self.item_embeddings = nn.Embedding(items, dim, padding_idx=padding_idx)
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, items))
        self.apply(self._init_weights)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            module.weight = nn.Parameter(torch.randn(module.weight.shape) * (self.std / math.sqrt(module.in_features)))
            if module.bias is not None:
                module.bias = nn.Parameter(torch.zeros(module.bias.shape))
        elif isinstance(module, nn.Embedding):
            w = torch.randn(module.weight.shape) * self.std
            rows = torch.arange(len(w)).unsqueeze(1)
            module.weight = nn.Parameter(torch.where(rows == module.padding_idx, torch.zeros(()), w))

    def forward(self, ids):
        mask = (ids != self.padding_idx).unsqueeze(-1)
        h = self.item_embeddings(ids) * mask
        return self.mlp(h.sum(1) / mask.sum(1).clamp(min=1))


def main():
    torch.manual_seed(3)
    net = Item2Vec(9, 5)
    ids = torch.tensor([[1, 4, 0], [2, 0, 0], [8, 3, 5]])
    nn.functional.cross_entropy(net(ids), torch.tensor([2, 7, 1])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
