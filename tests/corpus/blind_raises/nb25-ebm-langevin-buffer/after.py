import torch
from torch import nn


class ReplayBuffer:
    def __init__(self, size, dim, generator):
        self.generator = generator
        self.samples = torch.rand(size, dim, generator=generator) * 2 - 1

    def draw(self, n, reinit=0.25):
        idx = torch.randperm(len(self.samples), generator=self.generator)[:n]
        x = self.samples[idx]
        fresh = torch.rand(n, generator=self.generator) < reinit
        x[fresh] = torch.rand(int(fresh.sum()), x.shape[1], generator=self.generator) * 2 - 1
        return x, idx

    def put(self, idx, x):
        self.samples = self.samples.index_put((idx,), x)


class Energy(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, 8), nn.SiLU(), nn.Linear(8, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


class SGLD:
    def __init__(self, energy, steps=3, size=0.1, noise=0.01):
        self.energy, self.steps, self.size, self.noise = energy, steps, size, noise

    def run(self, x):
        x = x.clone().requires_grad_(True)
        for _ in range(self.steps):
            (grad,) = torch.autograd.grad(self.energy(x).sum(), x)
            x = (x.detach() - self.size * grad + self.noise * torch.randn_like(x)).clamp(-1, 1).requires_grad_(True)
        return x.detach()


def train(energy, data, buffer, sampler, optimizer):
    for real in data:
        start, idx = buffer.draw(len(real))
        fake = sampler.run(start)
        buffer.put(idx, fake)
        pos, neg = energy(real), energy(fake)
        loss = (pos - neg).mean() + 0.1 * (pos.square() + neg.square()).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    torch.manual_seed(0)
    energy = Energy(2)
    buffer = ReplayBuffer(10, 2, torch.Generator().manual_seed(3))
    data = [torch.randn(4, 2) * 0.3 for _ in range(2)]
    train(energy, data, buffer, SGLD(energy), torch.optim.Adam(energy.parameters(), lr=1e-2))
    return {"buffer": buffer.samples, **{n: p.grad for n, p in energy.named_parameters()}}


if __name__ == "__main__":
    main()
