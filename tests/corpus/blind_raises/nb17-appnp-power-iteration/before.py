import torch
from torch import nn, Tensor


def normalised_adjacency(edges: Tensor, num: int) -> Tensor:
    adj = torch.eye(num)
    adj[edges[0], edges[1]] = 1.0
    adj[edges[1], edges[0]] = 1.0
    scale = adj.sum(dim=1).rsqrt_()
    return scale.unsqueeze(1) * adj * scale.unsqueeze(0)


class APPNP(nn.Module):
    def __init__(self, k: int, alpha: float):
        super().__init__()
        self.k, self.alpha = k, alpha

    def forward(self, z: Tensor, adj: Tensor) -> Tensor:
        h = z
        for _ in range(self.k):
            h = adj @ h
            h.mul_(1 - self.alpha)
            h.add_(z, alpha=self.alpha)
        return h


class PPNPClassifier(nn.Module):
    def __init__(self, features: int, hidden: int, classes: int):
        super().__init__()
        self.lin1 = nn.Linear(features, hidden)
        self.lin2 = nn.Linear(hidden, classes)
        self.prop = APPNP(k=4, alpha=0.1)

    def forward(self, x: Tensor, adj: Tensor) -> Tensor:
        h = torch.relu(self.lin1(x))
        return self.prop(self.lin2(h), adj).log_softmax(dim=1)


class NodeTask:
    def __init__(self, x, edges, y, train_mask):
        self.x, self.y, self.train_mask = x, y, train_mask
        self.adj = normalised_adjacency(edges, len(x))

    def loss(self, model, weight_decay=5e-3):
        logp = model(self.x, self.adj)
        reg = model.lin1.weight.square().sum()
        return nn.functional.nll_loss(logp[self.train_mask], self.y[self.train_mask]) + weight_decay / 2 * reg


def main():
    torch.manual_seed(0)
    edges = torch.tensor([[0, 1, 2, 3, 4, 0], [1, 2, 3, 4, 5, 5]])
    task = NodeTask(torch.randn(6, 4), edges, torch.tensor([0, 1, 2, 0, 1, 2]), torch.tensor([1, 1, 0, 1, 0, 1]).bool())
    model = PPNPClassifier(4, 5, 3)
    task.loss(model).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
