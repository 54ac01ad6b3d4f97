import torch
import torch.nn as nn


def frames(sig, size, hop):
    return sig.unfold(-1, size, hop)


def overlap_add(fr, hop):
    n, size = fr.shape
    out = torch.zeros((n - 1) * hop + size)
    weight = torch.zeros_like(out)
    win = torch.hann_window(size) + 1e-3
    for i in range(n):
        out[i * hop:i * hop + size] += fr[i] * win
        weight[i * hop:i * hop + size] += win
    out /= weight
    return out


class Denoiser(nn.Module):
    def __init__(self, size, hop):
        super().__init__()
        self.size, self.hop = size, hop
        self.gate = nn.Linear(size // 2 + 1, size // 2 + 1)

    def forward(self, sig):
        spec = torch.fft.rfft(frames(sig, self.size, self.hop))
        mask = torch.sigmoid(self.gate(spec.abs()))
        return overlap_add(torch.fft.irfft(spec * mask, n=self.size), self.hop)


def main():
    torch.manual_seed(108)
    net = Denoiser(8, 4)
    sig = torch.sin(torch.linspace(0, 12, 32))
    y = net(sig + 0.2 * torch.randn(32))
    (y - sig).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
