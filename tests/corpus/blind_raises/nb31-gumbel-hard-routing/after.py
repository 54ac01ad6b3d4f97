import torch
from torch import nn, Tensor


def gumbel_like(logits: Tensor) -> Tensor:
    noise = torch.empty_like(logits).exponential_()
    return -noise.log()


def hard_sample(logits: Tensor, tau: float) -> Tensor:
    soft = ((logits + gumbel_like(logits)) / tau).softmax(dim=-1)
    index = soft.argmax(dim=-1, keepdim=True)
    hard = torch.zeros_like(soft).scatter(-1, index, 1.0)
    return hard - soft.detach() + soft


class TemperatureSchedule:
    def __init__(self, start: float, floor: float, rate: float):
        self.value, self.floor, self.rate = start, floor, rate

    def step(self):
        self.value = max(self.floor, self.value * self.rate)


class CategoricalVAE(nn.Module):
    def __init__(self, data: int, latents: int, classes: int):
        super().__init__()
        self.latents, self.classes = latents, classes
        self.enc = nn.Sequential(nn.Linear(data, 8), nn.ReLU(), nn.Linear(8, latents * classes))
        self.dec = nn.Sequential(nn.Linear(latents * classes, 8), nn.ReLU(), nn.Linear(8, data))

    def forward(self, x: Tensor, tau: float):
        logits = self.enc(x).view(-1, self.latents, self.classes)
        z = hard_sample(logits, tau)
        return self.dec(z.flatten(1)), logits


def elbo_loss(recon: Tensor, x: Tensor, logits: Tensor) -> Tensor:
    logq = logits.log_softmax(dim=-1)
    kl = (logq.exp() * logq).sum(dim=(1, 2))
    bce = nn.functional.binary_cross_entropy_with_logits(recon, x, reduction="none").sum(dim=1)
    return (bce + kl).mean()


def main():
    torch.manual_seed(0)
    model, schedule = CategoricalVAE(6, 2, 3), TemperatureSchedule(1.0, 0.5, 0.9)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(2):
        x = torch.rand(4, 6).round()
        recon, logits = model(x, schedule.value)
        opt.zero_grad()
        elbo_loss(recon, x, logits).backward()
        opt.step()
        schedule.step()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
