import torch
from torch import nn


class SpectralGate(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.filter = nn.Parameter(torch.ones(n // 2 + 1))
        self.mix = nn.Conv1d(1, 1, 5, padding=2)

    def forward(self, wave):
        x = self.mix(wave)
        spec = torch.fft.rfft(x)
        loud = spec.abs()
        keep = torch.sigmoid(4 * (loud - loud.mean(-1, keepdim=True)))
        spec *= keep
        return torch.fft.irfft(spec * self.filter, n=x.shape[-1])


def main():
    torch.manual_seed(37)
    gate = SpectralGate(16)
    wave = torch.randn(2, 1, 16)
    (gate(wave) - wave).square().mean().backward()
    return {n: p.grad.clone() for n, p in gate.named_parameters()}


if __name__ == "__main__":
    main()
