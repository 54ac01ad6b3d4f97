import torch
from torch import nn


class LearnableMel(nn.Module):
    def __init__(self, bins, mels):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(mels, bins) * 0.1)

    def forward(self, power):
        bank = nn.functional.softplus(self.raw)
        feats = torch.log(bank @ power + 1e-5)
        return feats - 1.0


def mask_along_axis(spec, width_range, num_mask, dim, generator, replace=0.0):
    b, size = spec.shape[0], spec.shape[dim]
    length = torch.randint(*width_range, (b, num_mask, 1), generator=generator)
    start = torch.randint(0, max(1, size - width_range[1]), (b, num_mask, 1), generator=generator)
    pos = torch.arange(size)[None, None, :]
    mask = ((start <= pos) & (pos < start + length)).any(dim=1)
    mask = mask.unsqueeze(2) if dim == 1 else mask.unsqueeze(1)
    return spec.masked_fill(mask, replace)


class SpecAug(nn.Module):
    def __init__(self, freq_width=(0, 3), time_width=(0, 4), num_mask=2, seed=0):
        super().__init__()
        self.freq_width, self.time_width, self.num_mask = freq_width, time_width, num_mask
        self.generator = torch.Generator().manual_seed(seed)

    def forward(self, spec):
        if not self.training:
            return spec
        spec = mask_along_axis(spec, self.freq_width, self.num_mask, 1, self.generator)
        return mask_along_axis(spec, self.time_width, self.num_mask, 2, self.generator)


class KeywordSpotter(nn.Module):
    def __init__(self, classes=4, mels=6, n_fft=16):
        super().__init__()
        self.register_buffer("window", torch.hann_window(n_fft))
        self.n_fft = n_fft
        self.mel = LearnableMel(n_fft // 2 + 1, mels)
        self.augment = SpecAug()
        self.conv = nn.Conv1d(mels, 5, 3, padding=1)
        self.fc = nn.Linear(5, classes)

    def forward(self, wav):
        spec = torch.stft(wav, self.n_fft, 8, window=self.window, return_complex=True).abs().square()
        x = self.augment(self.mel(spec))
        return self.fc(torch.relu(self.conv(x)).mean(dim=2))


def main():
    torch.manual_seed(0)
    net = KeywordSpotter()
    nn.functional.cross_entropy(net(torch.randn(3, 96)), torch.tensor([0, 3, 1])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
