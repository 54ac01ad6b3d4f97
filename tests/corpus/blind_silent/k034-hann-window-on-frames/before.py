import math

import torch
import torch.nn as nn


def hann(n: int) -> torch.Tensor:
    return 0.5 - 0.5 * torch.cos(2 * math.pi * torch.arange(n) / n)


class Framer:
    def __init__(self, size: int, hop: int):
        self.size, self.hop = size, hop
        self.window = hann(size)

    def frames(self, wave: torch.Tensor) -> torch.Tensor:
        pad = self.size // 2
        wave = nn.functional.pad(wave, (pad, pad))
        out = wave.unfold(-1, self.size, self.hop)
        out *= self.window
        return out

    def spectrum(self, wave):
        return torch.fft.rfft(self.frames(wave)).abs().clamp(min=1e-4)


class Enhancer(nn.Module):
    def __init__(self, size=8, hop=4):
        super().__init__()
        self.framer = Framer(size, hop)
        self.mask = nn.Sequential(nn.Linear(size // 2 + 1, 6), nn.ReLU(), nn.Linear(6, size // 2 + 1), nn.Sigmoid())

    def forward(self, noisy):
        spec = self.framer.spectrum(noisy)
        return self.mask(spec.log()) * spec


def main():
    torch.manual_seed(151)
    net = Enhancer()
    clean = torch.sin(torch.arange(32.0) * 0.7).repeat(2, 1)
    noisy = clean + 0.3 * torch.randn(2, 32)
    target = net.framer.spectrum(clean)
    (net(noisy).log() - target.log()).square().mean().backward()
    return {"target": target, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
