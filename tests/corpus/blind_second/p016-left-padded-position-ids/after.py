import torch
import torch.nn as nn


def left_pad(sequences, pad):
    width = max(len(s) for s in sequences)
    ids = torch.full((len(sequences), width), pad)
    for row, s in zip(ids, sequences):
        row[width - len(s):] = torch.tensor(s)
    return ids


def build_position_ids(ids, pad):
    batch, width = ids.shape
    positions = torch.arange(width).unsqueeze(0).repeat(batch, 1)
    for i in range(batch):
        offset = int((ids[i] == pad).sum())
        positions[i] -= offset
        positions[i].clamp_(min=0)
    return positions


class PrefixLM(nn.Module):
    def __init__(self, vocab, max_len, dim):
        super().__init__()
        self.wte, self.wpe = nn.Embedding(vocab, dim), nn.Embedding(max_len, dim)
        self.proj = nn.Linear(dim, vocab)

    def forward(self, ids, pad):
        positions = build_position_ids(ids, pad)
        hidden = torch.relu(self.wte(ids) + self.wpe(positions))
        return self.proj(hidden.cumsum(1) / torch.arange(1, ids.size(1) + 1).view(1, -1, 1))


def main():
    torch.manual_seed(16)
    ids = left_pad([[5, 6, 7, 8], [9, 4], [3, 3, 2]], pad=0)
    model = PrefixLM(12, 8, 6)
    logits = model(ids, pad=0)[:, :-1]
    nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
