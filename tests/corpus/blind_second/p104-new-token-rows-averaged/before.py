import torch
import torch.nn as nn


class Vocab(dict):
    def add(self, tokens):
        fresh = [t for t in tokens if t not in self]
        for t in fresh:
            self[t] = len(self)
        return fresh


class CaptionModel(nn.Module):
    def __init__(self, vocab_size, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab_size)

    def resize_token_embeddings(self, size):
        for name in ("embed", "lm_head"):
            old = getattr(self, name)
            n, dim = old.weight.shape
            new = nn.Embedding(size, dim) if name == "embed" else nn.Linear(dim, size)
            new.weight.data[:n] = old.weight.data
            setattr(self, name, new)

    def forward(self, ids):
        return self.lm_head(self.rnn(self.embed(ids))[0])


def add_special_tokens(model, vocab, tokens, parts):
    fresh = vocab.add(tokens)
    model.resize_token_embeddings(len(vocab))
    for token in fresh:
        pieces = [vocab[p] for p in parts[token]]
        model.embed.weight[vocab[token]] = model.embed.weight[pieces].mean(0)


def main():
    torch.manual_seed(44)
    vocab = Vocab({w: i for i, w in enumerate("a dog cat runs sits".split())})
    model = CaptionModel(len(vocab), 6)
    add_special_tokens(model, vocab, ["<animal>"], {"<animal>": ["dog", "cat"]})
    ids = torch.tensor([[0, 5, 3], [0, 1, 4]])
    logits = model(ids[:, :-1])
    nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()
    return {"embed": model.embed.weight.grad, "head": model.lm_head.weight.grad}


if __name__ == "__main__":
    main()
