from functools import lru_cache

import torch
from torch import nn


class TextTower(nn.Module):
    def __init__(self, vocab=16, dim=4):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, ids):
        return nn.functional.normalize(self.proj(self.embed(ids)), dim=-1)


class PromptBank:
    def __init__(self, tower, templates):
        self.tower = tower
        self.templates = templates

    @lru_cache(maxsize=None)
    def features(self):
        with torch.inference_mode():
            return torch.cat([self.tower(t) for t in self.templates])

    def with_learned(self, index, vector):
        feats = self.features().clone()
        feats[index] = vector
        return feats


class OpenVocabClassifier(nn.Module):
    def __init__(self, tower, templates, dim=4):
        super().__init__()
        self.bank = PromptBank(tower, templates)
        self.background = nn.Parameter(torch.randn(dim))
        self.image = nn.Linear(6, dim)
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        image = nn.functional.normalize(self.image(x), dim=-1)
        text = self.bank.with_learned(0, self.background)
        return self.scale.exp() * image @ text.t()


def main():
    torch.manual_seed(0)
    templates = [torch.randint(0, 16, (1, 5)) for _ in range(3)]
    model = OpenVocabClassifier(TextTower(), templates)
    loss = nn.functional.cross_entropy(model(torch.randn(4, 6)), torch.tensor([0, 1, 2, 1]))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
