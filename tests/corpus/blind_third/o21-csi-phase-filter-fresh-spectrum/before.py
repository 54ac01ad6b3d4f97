import torch
import torch.nn as nn


class SpectralGate(nn.Module):
    def __init__(self, n_fft, cut):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(n_fft // 2 + 1))
        self.cut, self.n = cut, n_fft

    def forward(self, x):
        spec = torch.fft.rfft(x, n=self.n)
        spec[..., self.cut :] = 0
        spec[..., 0] *= 0.5
        torch.view_as_real(spec)[..., 1].mul_(0.9)
        mag = spec.abs()
        return torch.fft.irfft(spec * self.gain, n=self.n), mag.pow(2).mean()


class ChannelNet(nn.Module):
    def __init__(self, n=12):
        super().__init__()
        self.inp, self.gate, self.out = nn.Linear(n, n), SpectralGate(n, 4), nn.Linear(n, 3)

    def forward(self, x):
        y, power = self.gate(self.inp(x))
        return self.out(torch.tanh(y)), power


def main():
    torch.manual_seed(221)
    net = ChannelNet()
    logits, power = net(torch.randn(6, 12))
    loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1, 2, 2, 1, 0])) + 1e-2 * power
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
