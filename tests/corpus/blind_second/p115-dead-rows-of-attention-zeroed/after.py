import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence


def lengths_to_mask(lengths):
    return torch.arange(int(lengths.max())).unsqueeze(0) < lengths.unsqueeze(1)


def safe_softmax(scores, allowed):
    scores = scores.masked_fill(~allowed, -1e4)
    probs = scores.softmax(dim=-1)
    return probs.masked_fill(~allowed.any(-1, keepdim=True), 0.0)


class SetAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))

    def forward(self, x, mask):
        allowed = mask.unsqueeze(1) & mask.unsqueeze(2)
        scores = self.q(x) @ self.k(x).transpose(1, 2) / x.size(-1) ** 0.5
        return safe_softmax(scores, allowed) @ self.v(x)


class BasketModel(nn.Module):
    def __init__(self, items, dim):
        super().__init__()
        self.items = nn.Embedding(items, dim)
        self.attn = SetAttention(dim)
        self.price = nn.Linear(dim, 1)

    def forward(self, baskets):
        lengths = torch.tensor([len(b) for b in baskets])
        ids = pad_sequence(baskets, batch_first=True)
        mask = lengths_to_mask(lengths)
        h = self.attn(self.items(ids), mask)
        return self.price(h.sum(1) / lengths.unsqueeze(1)).squeeze(1)


def main():
    torch.manual_seed(55)
    model = BasketModel(10, 4)
    baskets = [torch.tensor(b) for b in ([1, 2, 3, 4], [5, 6], [7, 8, 9])]
    nn.functional.mse_loss(model(baskets), torch.tensor([4.0, 2.0, 3.0])).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
