import torch
import torch.nn as nn


class Shard:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def gradients(self, model):
        loss = nn.functional.mse_loss(model(self.x), self.y)
        return [g.clone() for g in torch.autograd.grad(loss, list(model.parameters()))]


class AllReduceTrainer:
    def __init__(self, model, shards, clip):
        self.model, self.shards, self.clip = model, shards, clip
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def step(self):
        params = list(self.model.parameters())
        for p in params:
            p.grad = torch.zeros_like(p)
        for shard in self.shards:
            for p, g in zip(params, shard.gradients(self.model)):
                p.grad = p.grad + g
        for p in params:
            p.grad = p.grad / len(self.shards)
        norm = torch.stack([p.grad.norm() for p in params]).norm()
        if norm > self.clip:
            for p in params:
                p.grad = p.grad * (self.clip / norm)
        self.opt.step()
        return norm


def main():
    torch.manual_seed(88)
    model = nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 1))
    shards = [Shard(torch.randn(5, 4), torch.randn(5, 1)) for _ in range(3)]
    trainer = AllReduceTrainer(model, shards, clip=0.5)
    norms = torch.stack([trainer.step() for _ in range(2)])
    return {"norms": norms, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
