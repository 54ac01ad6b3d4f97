import torch
from torch import nn


class CachedAttention(nn.Module):
    def __init__(self, dim, max_len):
        super().__init__()
        self.q, self.kv = nn.Linear(dim, dim), nn.Linear(dim, 2 * dim)
        self.max_len = max_len
        self.cache = None

    def forward(self, x, pos=None):
        k, v = self.kv(x).chunk(2, -1)
        if pos is not None:
            new = torch.stack((k, v))
            self.cache = new if self.cache is None else torch.cat((self.cache, new), 2)
            k, v = self.cache
        scores = self.q(x) @ k.transpose(1, 2)
        if pos is None:
            causal = torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril()
            scores = scores.masked_fill(~causal, float("-inf"))
        return scores.softmax(-1) @ v


@torch.inference_mode()
def generate(layer, token, steps):
    outs = []
    for pos in range(steps):
        token = layer(token, pos)
        outs.append(token)
    layer.cache = None
    return torch.cat(outs, 1)


def main():
    torch.manual_seed(85)
    layer = CachedAttention(4, 8)
    layer(torch.randn(2, 5, 4)).square().sum().backward()
    out = generate(layer, torch.ones(2, 1, 4), 4)
    return {"out": out.clone(), "kv": layer.kv.weight.grad, "q": layer.q.weight.grad}


if __name__ == "__main__":
    main()
