import torch
from torch import nn


class PrivacyAccountant:
    def __init__(self):
        self.history = []

    def step(self, noise_multiplier, sample_rate):
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            *head, count = self.history.pop()
            self.history.append((*head, count + 1))
        else:
            self.history.append((noise_multiplier, sample_rate, 1))


class DPOptimizer:
    def __init__(self, params, lr, max_norm, noise_multiplier, generator):
        self.params = list(params)
        self.base = torch.optim.SGD(self.params, lr=lr)
        self.max_norm, self.sigma, self.gen = max_norm, noise_multiplier, generator
        self.summed = [torch.zeros_like(p) for p in self.params]
        self.count = 0

    def accumulate(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        factor = (self.max_norm / (norm + 1e-6)).clamp(max=1.0)
        for total, p in zip(self.summed, self.params):
            p.grad.mul_(factor)
            total.add_(p.grad)
            p.grad = None
        self.count += 1

    def step(self):
        for total, p in zip(self.summed, self.params):
            noise = torch.empty_like(total).normal_(0, self.sigma * self.max_norm, generator=self.gen)
            total.add_(noise).div_(self.count)
            p.grad = total.clone()
            total.zero_()
        self.count = 0
        self.base.step()


def train(model, data, optimizer, accountant):
    for x, y in data:
        for xi, yi in zip(x.split(1), y.split(1)):
            nn.functional.cross_entropy(model(xi), yi).backward()
            optimizer.accumulate()
        optimizer.step()
        accountant.step(optimizer.sigma, 0.1)


def main():
    torch.manual_seed(0)
    model, accountant = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 2)), PrivacyAccountant()
    data = [(torch.randn(3, 4), torch.tensor([0, 1, 1])) for _ in range(2)]
    opt = DPOptimizer(model.parameters(), 0.1, 1.0, 0.5, torch.Generator().manual_seed(1))
    train(model, data, opt, accountant)
    return {"steps": torch.tensor(accountant.history[0][2]), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
