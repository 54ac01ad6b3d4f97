import torch
from torch import nn, Tensor


class FrameBank:
    def __init__(self, frame: int, hop: int):
        self.frame, self.hop = frame, hop
        self.window = torch.hann_window(frame + 1)[1:]

    def split(self, wav: Tensor) -> Tensor:
        return wav.unfold(-1, self.frame, self.hop)

    def join(self, frames: Tensor, length: int) -> Tensor:
        out = frames.new_zeros(frames.shape[0], length)
        norm = frames.new_zeros(length)
        for i in range(frames.shape[1]):
            a = i * self.hop
            pad = (a, length - a - self.frame)
            out = out + nn.functional.pad(self.window * frames[:, i], pad)
            norm = norm + nn.functional.pad(self.window, pad)
        return out / norm.clamp(min=1e-3)


class MaskEstimator(nn.Module):
    def __init__(self, bins: int, hidden: int = 6):
        super().__init__()
        self.rnn = nn.GRU(bins, hidden, batch_first=True)
        self.mask = nn.Linear(hidden, bins)

    def forward(self, magnitude: Tensor) -> Tensor:
        return torch.sigmoid(self.mask(self.rnn(magnitude)[0]))


class Denoiser(nn.Module):
    def __init__(self, frame: int = 8, hop: int = 4):
        super().__init__()
        self.bank = FrameBank(frame, hop)
        self.estimator = MaskEstimator(frame // 2 + 1)

    def forward(self, noisy: Tensor) -> Tensor:
        frames = self.bank.split(noisy).clone()
        spec = torch.fft.rfft(frames * self.bank.window)
        mask = self.estimator(spec.abs().log1p())
        return self.bank.join(torch.fft.irfft(mask * spec, n=self.bank.frame), noisy.shape[-1])


def si_sdr_loss(estimate: Tensor, target: Tensor) -> Tensor:
    scale = (estimate * target).sum(-1, keepdim=True) / target.square().sum(-1, keepdim=True)
    projected = scale * target
    ratio = projected.square().sum(-1) / ((estimate - projected).square().sum(-1) + 1e-8)
    return -10 * ratio.log10().mean()


def main():
    torch.manual_seed(0)
    net = Denoiser()
    clean = torch.sin(torch.linspace(0, 20, 40)).repeat(2, 1)
    si_sdr_loss(net(clean + 0.3 * torch.randn(2, 40)), clean).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
