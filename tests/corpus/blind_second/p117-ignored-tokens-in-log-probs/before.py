import torch
import torch.nn as nn


def sequence_logprobs(logits, labels, ignore=-100):
    logp = torch.log_softmax(logits, dim=-1)
    keep = labels != ignore
    logp[~keep] = 0.0
    picked = logp.gather(-1, labels.clamp(min=0).unsqueeze(-1)).squeeze(-1)
    return picked.sum(-1), keep.sum(-1)


class PreferencePairs:
    def __init__(self, n, length, vocab, prompt, seed):
        g = torch.Generator().manual_seed(seed)
        self.chosen = torch.randint(1, vocab, (n, length), generator=g)
        self.rejected = torch.randint(1, vocab, (n, length), generator=g)
        self.prompt = prompt

    def labels(self, ids):
        return torch.cat([torch.full_like(ids[:, :self.prompt], -100), ids[:, self.prompt:]], dim=1)


class TinyLM(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(vocab, dim), nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


def orpo_loss(model, pairs, weight=0.1):
    scores = []
    for ids in (pairs.chosen, pairs.rejected):
        total, count = sequence_logprobs(model(ids)[:, :-1], pairs.labels(ids)[:, 1:])
        scores.append(total / count)
    good, bad = scores
    odds = (good - bad) - (torch.log1p(-good.exp()) - torch.log1p(-bad.exp()))
    return -good.mean() - weight * nn.functional.logsigmoid(odds).mean()


def main():
    torch.manual_seed(57)
    model = TinyLM(11, 6)
    loss = orpo_loss(model, PreferencePairs(3, 7, 11, prompt=3, seed=1))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
