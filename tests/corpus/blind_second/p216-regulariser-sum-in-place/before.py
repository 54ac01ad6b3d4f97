import torch
import torch.nn as nn


class Penalties:
    def __init__(self, l1, l2, tv):
        self.l1, self.l2, self.tv = l1, l2, tv

    def __call__(self, model):
        total = torch.zeros(())
        for name, p in model.named_parameters():
            if name.endswith("bias"):
                continue
            total += self.l1 * p.abs().sum()
            total += self.l2 * p.pow(2).sum()
            if p.dim() == 3:
                total += self.tv * (p[..., 1:] - p[..., :-1]).pow(2).sum()
        return total


class SpikeDecoder(nn.Module):
    def __init__(self, units, width):
        super().__init__()
        self.kernel = nn.Conv1d(units, width, 5, padding=2)
        self.read = nn.Linear(width, 2)

    def forward(self, spikes):
        return self.read(torch.tanh(self.kernel(spikes)).transpose(1, 2))


def objective(model, spikes, velocity, penalties):
    loss = nn.functional.mse_loss(model(spikes), velocity)
    loss += penalties(model)
    return loss


def main():
    torch.manual_seed(96)
    model = SpikeDecoder(6, 5)
    spikes = torch.poisson(torch.rand(2, 6, 12))
    velocity = torch.randn(2, 12, 2)
    opt = torch.optim.SGD(model.parameters(), lr=0.01, nesterov=True, momentum=0.9)
    for _ in range(2):
        opt.zero_grad()
        loss = objective(model, spikes, velocity, Penalties(1e-3, 1e-2, 1e-2))
        loss.backward()
        opt.step()
    return {"loss": loss.detach(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
