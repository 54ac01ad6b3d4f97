import torch
from torch import nn


class PointerNet(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim, bias=False), nn.Parameter(torch.randn(dim))

    def forward(self, x, steps):
        visited = torch.zeros(x.shape[:2], dtype=torch.bool)
        keys, query = self.k(x), x.mean(1)
        logps, picks = [], []
        for _ in range(steps):
            u = torch.tanh(self.q(query).unsqueeze(1) + keys) @ self.v
            u = u.masked_fill(visited, -float("inf"))
            logp = u.log_softmax(1)
            pick = logp.argmax(1)
            visited = visited.clone()
            visited[torch.arange(len(x)), pick] = True
            query = x[torch.arange(len(x)), pick]
            logps.append(logp.gather(1, pick[:, None]))
            picks.append(pick)
        return torch.cat(logps, 1), torch.stack(picks, 1)


def main():
    torch.manual_seed(495)
    net = PointerNet(3)
    logp, tour = net(torch.randn(4, 5, 3), 3)
    (-logp.sum(1)).mean().backward()
    return {"tour": tour, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
