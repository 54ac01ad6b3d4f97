import torch
from torch import Tensor, nn


class LinearChainCRF(nn.Module):
    def __init__(self, tags: int):
        super().__init__()
        self.start = nn.Parameter(torch.randn(tags) * 0.1)
        self.end = nn.Parameter(torch.randn(tags) * 0.1)
        self.transitions = nn.Parameter(torch.randn(tags, tags) * 0.1)

    def path_score(self, emissions: Tensor, tags: Tensor) -> Tensor:
        picked = emissions.gather(2, tags.unsqueeze(2)).squeeze(2).sum(1)
        moves = self.transitions[tags[:, :-1], tags[:, 1:]].sum(1)
        return self.start[tags[:, 0]] + picked + moves + self.end[tags[:, -1]]

    def alphas(self, emissions: Tensor) -> Tensor:
        table = [self.start + emissions[:, 0]]
        for t in range(1, emissions.shape[1]):
            scores = table[t - 1].unsqueeze(2) + self.transitions
            table.append(scores.logsumexp(dim=1) + emissions[:, t])
        return torch.stack(table, dim=1)

    def forward(self, emissions: Tensor, tags: Tensor, lengths: Tensor) -> Tensor:
        table = self.alphas(emissions)
        last = table[torch.arange(len(table)), lengths - 1]
        partition = (last + self.end).logsumexp(dim=1)
        return (partition - self.path_score(emissions, tags)).mean()


class Tagger(nn.Module):
    def __init__(self, vocab: int, dim: int, tags: int):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.emit = nn.Linear(2 * dim, tags)
        self.crf = LinearChainCRF(tags)

    def loss(self, words: Tensor, tags: Tensor) -> Tensor:
        lengths = torch.full((len(words),), words.shape[1])
        return self.crf(self.emit(self.rnn(self.embed(words))[0]), tags, lengths)


def main():
    torch.manual_seed(1)
    model = Tagger(15, 4, 3)
    model.loss(torch.randint(0, 15, (2, 5)), torch.randint(0, 3, (2, 5))).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
