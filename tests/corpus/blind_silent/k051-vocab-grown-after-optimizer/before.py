from typing import Iterable, List

import torch
import torch.nn as nn


class Vocab:
    def __init__(self, words: Iterable[str]):
        self.index = {w: i for i, w in enumerate(words)}

    def encode(self, text: str) -> List[int]:
        return [self.index[w] for w in text.split()]

    def add(self, *words: str) -> int:
        for w in words:
            self.index.setdefault(w, len(self.index))
        return len(self.index)


class BagClassifier(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.emb = nn.EmbeddingBag(vocab, dim, mode="sum")
        self.fc = nn.Linear(dim, 2)

    def grow(self, size: int) -> None:
        new = nn.EmbeddingBag(size, self.emb.embedding_dim, mode="sum")
        with torch.no_grad():
            new.weight.zero_()
            new.weight[: self.emb.num_embeddings] = self.emb.weight
        self.emb = new

    def forward(self, docs):
        return self.fc(self.emb(docs))


def configure(net, lr):
    return torch.optim.Adam([{"params": net.emb.parameters(), "lr": 10 * lr}, {"params": net.fc.parameters()}], lr=lr)


def main():
    torch.manual_seed(241)
    vocab = Vocab("good bad plot actor film".split())
    net = BagClassifier(len(vocab.index), 3)
    opt = configure(net, lr=0.05)
    net.grow(vocab.add("dull", "superb"))
    docs = torch.tensor([vocab.encode(t) for t in ("superb film plot", "dull film actor", "good plot actor", "bad dull plot")])
    labels = torch.tensor([1, 0, 1, 0])
    for _ in range(4):
        opt.zero_grad()
        nn.functional.cross_entropy(net(docs), labels).backward()
        opt.step()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
