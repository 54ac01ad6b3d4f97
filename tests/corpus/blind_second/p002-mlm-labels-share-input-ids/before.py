from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class MaskingCollator:
    mask_id: int
    vocab_size: int
    prob: float = 0.3

    def __call__(self, examples):
        input_ids = torch.stack(examples)
        input_ids, labels = self.mask_tokens(input_ids)
        return {"input_ids": input_ids, "labels": labels}

    def mask_tokens(self, input_ids):
        labels = input_ids
        chosen = torch.rand(labels.shape) < self.prob
        replaced = chosen & (torch.rand(labels.shape) < 0.8)
        input_ids[replaced] = self.mask_id
        labels = labels.masked_fill(~chosen, -100)
        return input_ids, labels


class TinyEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.Linear(dim, vocab)

    def forward(self, input_ids, labels):
        hidden, _ = self.mix(self.embed(input_ids))
        logits = self.decoder(hidden)
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def main():
    torch.manual_seed(2)
    corpus = [torch.randint(1, 20, (9,)) for _ in range(4)]
    collate = MaskingCollator(mask_id=0, vocab_size=20)
    model = TinyEncoder(20, 8)
    loss = model(**collate(corpus))
    loss.backward()
    return {"loss": loss.detach(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
