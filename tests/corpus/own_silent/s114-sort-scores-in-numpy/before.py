import torch
import torch.nn as nn


def quantiles(scores, qs):
    flat = scores.detach().view(-1).numpy()
    flat.sort()
    return {q: float(flat[int(q * (flat.size - 1))]) for q in qs}


class Ranker(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1), nn.Sigmoid())

    def forward(self, docs):
        return self.score(docs)


def main():
    torch.manual_seed(121)
    net = Ranker()
    docs, gain = torch.randn(7, 4), torch.rand(7, 1)
    s = net(docs)
    loss = -(gain * s).sum() / s.sum()
    stats = quantiles(s, (0.1, 0.5, 0.9))
    loss.backward()
    return {"median": torch.tensor(stats[0.5]), **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
