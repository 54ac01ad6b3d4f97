import math
from collections import Counter

import torch
import torch.nn as nn


def entropy_bits(symbols):
    counts = Counter(symbols)
    n = sum(counts.values())
    return -sum(c / n * math.log2(c / n) for c in counts.values())


def estimate_bitrate(latent, step):
    codes = latent.detach().clone()
    codes.apply_(lambda v: round(v / step) * step)
    return entropy_bits(codes.flatten().tolist())


class Codec(nn.Module):
    def __init__(self, bands, latent):
        super().__init__()
        self.analysis = nn.Conv1d(1, bands, 8, stride=4)
        self.bottleneck = nn.Conv1d(bands, latent, 1)
        self.synthesis = nn.ConvTranspose1d(latent, 1, 8, stride=4)

    def forward(self, wave):
        latent = torch.tanh(self.bottleneck(torch.relu(self.analysis(wave))))
        return self.synthesis(latent), latent


class Session:
    def __init__(self, codec, step):
        self.codec, self.step, self.log = codec, step, []

    def train_step(self, wave):
        recon, latent = self.codec(wave)
        self.log.append(estimate_bitrate(latent, self.step))
        self.codec.zero_grad()
        nn.functional.mse_loss(recon, wave).backward()


def main():
    torch.manual_seed(122)
    session = Session(Codec(4, 2), step=0.5)
    session.train_step(torch.randn(2, 1, 40))
    return {n: p.grad for n, p in session.codec.named_parameters()}


if __name__ == "__main__":
    main()
