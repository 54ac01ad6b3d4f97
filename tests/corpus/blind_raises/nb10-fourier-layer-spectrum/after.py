import torch
from torch import nn, Tensor


def complex_weight(cin: int, cout: int, modes: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(cin, cout, modes, dtype=torch.cfloat) / (cin * cout))


class SpectralConv1d(nn.Module):
    def __init__(self, cin: int, cout: int, modes: int):
        super().__init__()
        self.cout, self.modes = cout, modes
        self.low = complex_weight(cin, cout, modes)
        self.high = complex_weight(cin, cout, modes)

    @staticmethod
    def mix(x: Tensor, w: Tensor) -> Tensor:
        return torch.einsum("bix,iox->box", x, w)

    def forward(self, x: Tensor) -> Tensor:
        x_ft = torch.fft.rfft(x)
        low, high = self.mix(x_ft[:, :, : self.modes], self.low), self.mix(x_ft[:, :, -self.modes :], self.high)
        gap = torch.zeros(x.shape[0], self.cout, x_ft.shape[-1] - 2 * self.modes, dtype=torch.cfloat)
        out_ft = torch.cat([low, gap, high], dim=-1)
        return torch.fft.irfft(out_ft, n=x.shape[-1])


class FNOBlock(nn.Module):
    def __init__(self, width: int, modes: int, last: bool = False):
        super().__init__()
        self.spectral = SpectralConv1d(width, width, modes)
        self.local = nn.Conv1d(width, width, 1)
        self.last = last

    def forward(self, x: Tensor) -> Tensor:
        y = self.spectral(x)
        y = y + self.local(x)
        return y if self.last else nn.functional.gelu(y)


class FNO1d(nn.Module):
    def __init__(self, width=4, modes=3, depth=2):
        super().__init__()
        self.lift = nn.Conv1d(2, width, 1)
        self.blocks = nn.Sequential(*(FNOBlock(width, modes, i == depth - 1) for i in range(depth)))
        self.project = nn.Conv1d(width, 1, 1)

    def forward(self, u: Tensor) -> Tensor:
        grid = torch.linspace(0, 1, u.shape[-1]).expand(u.shape[0], 1, -1)
        return self.project(self.blocks(self.lift(torch.cat([u, grid], dim=1))))


def main():
    torch.manual_seed(0)
    net = FNO1d()
    u = torch.randn(2, 1, 16)
    (net(u) - u.cumsum(-1) / 16).square().mean().backward()
    return {n: torch.view_as_real(p.grad) if p.is_complex() else p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
