import torch
from torch import nn


class TopP:
    def __init__(self, top_p):
        self.top_p = top_p

    def __call__(self, ids, scores):
        sorted_logits, order = torch.sort(scores, descending=False)
        cumulative = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        remove = cumulative <= 1 - self.top_p
        remove[..., -1:] = 0
        remove = remove.scatter(1, order, remove)
        return scores.masked_fill(remove, -float("inf"))


class RepetitionPenalty:
    def __init__(self, penalty):
        self.penalty = penalty

    def __call__(self, ids, scores):
        picked = torch.gather(scores, 1, ids)
        picked = torch.where(picked < 0, picked * self.penalty, picked / self.penalty)
        scores.scatter_(1, ids, picked)
        return scores


@torch.no_grad()
def generate(model, ids, processors, steps):
    unfinished = torch.ones(len(ids), dtype=torch.long)
    for _ in range(steps):
        scores = model(ids)[:, -1]
        scores[:, 0] = -float("inf")
        for process in processors:
            scores = process(ids, scores)
        token = scores.argmax(-1) * unfinished
        ids = torch.cat([ids, token[:, None]], dim=-1)
        unfinished.mul_((token != 1).long())
    return ids


def main():
    torch.manual_seed(395)
    model = nn.Sequential(nn.Embedding(9, 4), nn.Tanh(), nn.Linear(4, 9))
    ids = generate(model, torch.randint(2, 9, (3, 2)), [RepetitionPenalty(1.5), TopP(0.8)], 4)
    nn.functional.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:]).backward()
    return {"ids": ids, "emb": model[0].weight.grad}


if __name__ == "__main__":
    main()
