import torch
import torch.nn as nn


class SpectralConv1d(nn.Module):
    def __init__(self, ch, modes):
        super().__init__()
        self.modes = modes
        self.filt = nn.Parameter(torch.randn(ch, modes, dtype=torch.cfloat) * 0.5)

    def forward(self, x):
        n = x.shape[-1]
        spec = torch.fft.rfft(x, norm="ortho")
        low = spec[..., : self.modes] * self.filt
        spec[..., : self.modes] = 0
        energy_high = spec.abs().pow(2).mean()
        out = torch.zeros_like(spec)
        out[..., : self.modes] = low
        return torch.fft.irfft(out, n=n, norm="ortho"), energy_high


class FNOBlock(nn.Module):
    def __init__(self, ch, modes):
        super().__init__()
        self.spec = SpectralConv1d(ch, modes)
        self.skip = nn.Conv1d(ch, ch, 1)

    def forward(self, x):
        y, hi = self.spec(x)
        return nn.functional.gelu(y + self.skip(x)), hi


def main():
    torch.manual_seed(36)
    net = nn.ModuleDict({"lift": nn.Conv1d(1, 4, 1), "proj": nn.Conv1d(4, 1, 1)})
    net["blocks"] = nn.ModuleList(FNOBlock(4, 3) for _ in range(2))
    u0, u1 = torch.randn(3, 1, 12), torch.randn(3, 1, 12)
    h, penalty = net["lift"](u0), 0.0
    for blk in net["blocks"]:
        h, hi = blk(h)
        penalty = penalty + hi
    loss = nn.functional.mse_loss(net["proj"](h), u1) + 1e-3 * penalty
    loss.backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
