import torch
import torch.nn as nn


class Gain:
    def __call__(self, wave, gen):
        return wave * (0.5 + torch.rand(wave.size(0), 1, generator=gen))


class DropSegment:
    def __init__(self, width):
        self.width = width

    def __call__(self, wave, gen):
        keep = []
        for row in wave:
            start = int(torch.randint(0, row.numel() - self.width, (), generator=gen))
            t = torch.arange(row.numel())
            keep.append((t < start) | (t >= start + self.width))
        return wave * torch.stack(keep)


class Polarity:
    def __call__(self, wave, gen):
        flip = torch.rand(wave.size(0), generator=gen) < 0.5
        return torch.where(flip.unsqueeze(1), -wave, wave)


class Compose:
    def __init__(self, *transforms, seed):
        self.transforms, self.gen = transforms, torch.Generator().manual_seed(seed)

    def __call__(self, wave):
        wave = wave.clone()
        for transform in self.transforms:
            wave = transform(wave, self.gen)
        return wave


class WaveClassifier(nn.Module):
    def __init__(self, augment):
        super().__init__()
        self.augment = augment
        self.conv = nn.Conv1d(1, 4, 8, stride=4)
        self.fc = nn.Linear(4, 3)

    def forward(self, wave):
        if self.training:
            wave = self.augment(wave)
        return self.fc(torch.relu(self.conv(wave.unsqueeze(1))).amax(-1))


def main():
    torch.manual_seed(95)
    net = WaveClassifier(Compose(Gain(), DropSegment(6), Polarity(), seed=3))
    wave, y = torch.randn(4, 40), torch.tensor([0, 1, 2, 0])
    losses = [nn.functional.cross_entropy(net(wave), y) for _ in range(2)]
    sum(losses).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
