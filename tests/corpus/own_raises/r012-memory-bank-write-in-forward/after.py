import torch
import torch.nn.functional as F
from torch import nn


class MemoryBank(nn.Module):
    def __init__(self, size, dim, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("slots", F.normalize(torch.randn(size, dim), dim=1))

    def similarities(self, z):
        return z @ self.slots.clone().t()

    @torch.no_grad()
    def refresh(self, index, z):
        mixed = self.momentum * self.slots[index] + (1 - self.momentum) * z
        self.slots[index] = F.normalize(mixed, dim=1)


class InstanceDiscrimination(nn.Module):
    def __init__(self, encoder, bank, tau=0.2):
        super().__init__()
        self.encoder, self.bank, self.tau = encoder, bank, tau

    def forward(self, x, index):
        z = F.normalize(self.encoder(x), dim=1)
        logits = self.bank.similarities(z) / self.tau
        self.bank.refresh(index, z)
        return F.cross_entropy(logits, index)


def main():
    torch.manual_seed(6)
    model = InstanceDiscrimination(nn.Linear(5, 4), MemoryBank(10, 4))
    loss = model(torch.randn(3, 5), torch.tensor([1, 4, 7]))
    loss.backward()
    return {n: p.grad.clone() for n, p in model.encoder.named_parameters()}


if __name__ == "__main__":
    main()
