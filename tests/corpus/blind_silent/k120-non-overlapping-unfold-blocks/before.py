import torch
import torch.nn as nn


class BlockTransform:
    def __init__(self, size: int, gain: float):
        self.size = size
        self.ramp = torch.linspace(gain, 1.0, size)

    def __call__(self, signal: torch.Tensor) -> torch.Tensor:
        usable = signal.size(-1) // self.size * self.size
        work = signal[..., :usable].clone()
        blocks = work.unfold(-1, self.size, self.size)
        blocks.mul_(self.ramp)
        return torch.fft.rfft(work.unfold(-1, self.size, self.size)).abs()


class Coder(nn.Module):
    def __init__(self, size=4, n=14):
        super().__init__()
        self.pre = nn.Conv1d(1, 1, 3, padding=1)
        self.transform = BlockTransform(size, 0.25)
        self.quant = nn.Linear(size // 2 + 1, size // 2 + 1)

    def forward(self, wave):
        spec = self.transform(self.pre(wave))
        return self.quant(spec), spec


def main():
    torch.manual_seed(79)
    coder = Coder()
    coded, spec = coder(torch.randn(2, 1, 14))
    ((coded - spec).square().mean() + 0.01 * coded.abs().mean()).backward()
    return {n: p.grad for n, p in coder.named_parameters()}


if __name__ == "__main__":
    main()
