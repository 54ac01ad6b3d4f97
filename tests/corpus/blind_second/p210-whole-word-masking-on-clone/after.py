import torch
import torch.nn as nn


class WholeWordMasker:
    def __init__(self, mask_id, vocab, prob, seed):
        self.mask_id, self.vocab, self.prob = mask_id, vocab, prob
        self.gen = torch.Generator().manual_seed(seed)

    def __call__(self, ids, words):
        labels = ids.clone()
        ids = ids.clone()
        chosen = torch.rand(int(words.max()) + 1, generator=self.gen) < self.prob
        hidden = chosen[words]
        labels = labels.masked_fill(~hidden, -100)
        dice = torch.rand(ids.shape, generator=self.gen)
        ids = ids.masked_fill(hidden & (dice < 0.8), self.mask_id)
        swap = hidden & (dice > 0.9)
        ids = ids.masked_scatter(swap, torch.randint(self.vocab, (int(swap.sum()),), generator=self.gen))
        return ids, labels


class Encoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 12, dropout=0.0, batch_first=True)

    def forward(self, ids):
        return self.layer(self.embed(ids)) @ self.embed.weight.t()


def main():
    torch.manual_seed(90)
    model = Encoder(15, 6)
    masker = WholeWordMasker(0, 15, 0.6, seed=4)
    corpus = torch.randint(1, 15, (3, 8))
    words = torch.tensor([0, 0, 1, 2, 2, 2, 3, 4]).expand(3, -1)
    total = torch.zeros(())
    for _ in range(2):
        ids, labels = masker(corpus, words)
        loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), labels.flatten())
        loss.backward()
        total = total + loss.detach()
    return {"total": total, "corpus": corpus, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
