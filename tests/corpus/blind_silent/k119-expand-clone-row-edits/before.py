from typing import List

import torch
import torch.nn as nn


def causal(n: int) -> torch.Tensor:
    return torch.full((n, n), float("-inf")).triu_(1)


def left_padded(lengths: List[int], n: int) -> torch.Tensor:
    mask = causal(n).unsqueeze(0).expand(len(lengths), -1, -1).clone()
    for i, length in enumerate(lengths):
        pad = n - length
        mask[i, pad:, :pad] = float("-inf")
    return mask


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.lm = nn.Linear(dim, vocab)

    def forward(self, ids, lengths):
        h = self.emb(ids)
        scores = self.q(h) @ self.k(h).transpose(1, 2) / h.size(-1) ** 0.5
        scores += left_padded(lengths, ids.size(1))
        return self.lm(scores.softmax(-1) @ self.v(h))


def main():
    torch.manual_seed(73)
    net = Decoder(6, 4)
    ids = torch.randint(0, 6, (3, 5))
    logits = net(ids, [5, 3, 2])
    nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten()).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
