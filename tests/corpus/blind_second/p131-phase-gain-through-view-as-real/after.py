import torch
import torch.nn as nn


class STFT:
    def __init__(self, n_fft, hop):
        self.n_fft, self.hop = n_fft, hop
        self.window = torch.hann_window(n_fft)

    def analyse(self, wave):
        return torch.stft(wave, self.n_fft, self.hop, window=self.window, return_complex=True)

    def synthesise(self, spec, length):
        return torch.istft(spec, self.n_fft, self.hop, window=self.window, length=length)


class LearnedFilter(nn.Module):
    def __init__(self, taps):
        super().__init__()
        self.fir = nn.Conv1d(1, 1, taps, padding=taps // 2)

    def forward(self, wave):
        return self.fir(wave.unsqueeze(1)).squeeze(1)


def spectral_gate(spec, floor):
    mag = spec.abs()
    gain = (mag - floor).clamp(min=0) / mag.clamp(min=1e-6)
    return spec * gain, mag


class Enhancer(nn.Module):
    def __init__(self):
        super().__init__()
        self.filter, self.stft = LearnedFilter(5), STFT(16, 4)

    def forward(self, wave):
        spec = self.stft.analyse(self.filter(wave))
        gated, mag = spectral_gate(spec, floor=0.2)
        return self.stft.synthesise(gated, wave.size(-1)), mag


def main():
    torch.manual_seed(71)
    net, wave = Enhancer(), torch.randn(2, 64)
    out, mag = net(wave)
    loss = (out - wave).abs().mean() + 0.01 * mag.mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
