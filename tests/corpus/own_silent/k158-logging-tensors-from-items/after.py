import torch
from torch import nn


class PrioritisedReplay:
    def __init__(self, size, dim):
        self.obs = torch.randn(size, dim)
        self.priority = torch.ones(size)

    def sample(self, n):
        idx = torch.multinomial(self.priority, n)
        weight = (self.priority[idx] / self.priority.sum()).pow(-0.4)
        return self.obs[idx], idx, weight / weight.max()

    def update(self, idx, errors):
        self.priority = self.priority.index_put((idx,), errors.detach().abs() + 1e-3)


def main():
    torch.manual_seed(575)
    memory, q = PrioritisedReplay(8, 3), nn.Linear(3, 1)
    opt = torch.optim.SGD(q.parameters(), lr=0.1)
    curve = torch.zeros(3)
    for step in range(3):
        obs, idx, weight = memory.sample(4)
        td = q(obs).squeeze(1) - 1.0
        loss = (weight * td.square()).mean()
        memory.update(idx, td)
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve[step] = loss.item()
    summary = torch.tensor([curve.mean().item(), curve.max().item()])
    return {"summary": summary, "priority": memory.priority, "weight": q.weight}


if __name__ == "__main__":
    main()
