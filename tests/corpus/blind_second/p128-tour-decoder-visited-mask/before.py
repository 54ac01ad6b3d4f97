import torch
import torch.nn as nn


class TourState:
    def __init__(self, coords):
        self.coords = coords
        self.rows = torch.arange(coords.size(0))
        self.visited = torch.zeros(coords.shape[:2], dtype=torch.bool)
        self.tour = []

    def visit(self, city):
        self.visited[self.rows, city] = True
        self.tour.append(city)

    def length(self):
        path = self.coords[self.rows.unsqueeze(1), torch.stack(self.tour, 1)]
        return (path - path.roll(-1, 1)).norm(dim=-1).sum(1)


class PointerPolicy(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.embed = nn.Linear(2, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.key = nn.Linear(dim, dim)

    def forward(self, coords):
        nodes = self.embed(coords)
        state, h, total = TourState(coords), nodes.mean(1), 0.0
        for _ in range(coords.size(1)):
            scores = (self.key(nodes) @ h.unsqueeze(-1)).squeeze(-1)
            scores = scores.masked_fill(state.visited, -1e9)
            logp = torch.log_softmax(scores, dim=1)
            city = logp.detach().argmax(1)
            total = total + logp[state.rows, city]
            state.visit(city)
            h = self.cell(nodes[state.rows, city], h)
        return state.length(), total


def main():
    torch.manual_seed(68)
    policy = PointerPolicy(6)
    length, logp = policy(torch.rand(3, 5, 2))
    loss = ((length - length.mean()) * logp).mean()
    loss.backward()
    return {n: p.grad for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
