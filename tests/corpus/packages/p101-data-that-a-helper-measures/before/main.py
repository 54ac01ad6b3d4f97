import torch

from aug.noise import AddNoise


def main():
    torch.manual_seed(0)
    wave = torch.randn(2, 8, requires_grad=True)
    noisy = AddNoise()(wave)
    noisy.pow(2).sum().backward()
    return {"noisy": noisy.detach(), "wave": wave.grad}
