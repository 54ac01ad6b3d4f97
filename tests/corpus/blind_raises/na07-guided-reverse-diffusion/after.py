import math

import torch
import torch.nn as nn


class Schedule:
    def __init__(self, steps):
        self.betas = [0.02 + 0.1 * i / steps for i in range(steps)]
        self.alpha_bars = []
        prod = 1.0
        for b in self.betas:
            prod *= 1 - b
            self.alpha_bars.append(prod)

    def __len__(self):
        return len(self.betas)


class Denoiser(nn.Module):
    def __init__(self, ch=4):
        super().__init__()
        self.time = nn.Embedding(8, ch)
        self.inp = nn.Conv1d(1, ch, 3, padding=1)
        self.out = nn.Conv1d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x) + self.time(torch.tensor([t])).unsqueeze(-1)
        return self.out(nn.functional.gelu(h))


def reverse_process(model, x, schedule):
    for t in reversed(range(len(schedule))):
        beta, bar = schedule.betas[t], schedule.alpha_bars[t]
        eps = model(x, t)
        x = x.sub(eps, alpha=beta / math.sqrt(1 - bar))
        x = x.div(math.sqrt(1 - beta))
        yield t, x


def reconstruct(model, noise, schedule):
    sample = noise
    for t, sample in reverse_process(model, noise, schedule):
        if t == 0:
            break
    return sample


def finetune_step(model, noise, measurement, operator):
    sample = reconstruct(model, noise, Schedule(3))
    residual = operator(sample) - measurement
    loss = residual.square().mean()
    loss.backward()
    return loss


def main():
    torch.manual_seed(2)
    model = Denoiser()
    blur = nn.AvgPool1d(3, stride=1, padding=1)
    finetune_step(model, torch.randn(2, 1, 9), torch.randn(2, 1, 9), blur)
    return {n: p.grad for n, p in model.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
