from dataclasses import dataclass
from typing import Tuple

import torch
import torch.nn as nn


@dataclass
class WeightNoise:
    """Variational weight noise, drawn for each utterance."""

    std: float
    gen: torch.Generator
    skip: Tuple[str, ...] = ("head",)

    def install(self, net: nn.Module):
        for name, module in net.named_modules():
            if isinstance(module, nn.Conv1d) and not name.endswith(self.skip):
                module.register_forward_pre_hook(self)
        return net

    def __call__(self, module, args):
        if module.training:
            noise = torch.randn(module.weight.shape, generator=self.gen)
            module.weight.data.add_(noise, alpha=self.std)


class Recogniser(nn.Module):
    def __init__(self, mels=3, width=4, tokens=5):
        super().__init__()
        self.enc = nn.Conv1d(mels, width, 3, padding=1)
        self.mid = nn.Conv1d(width, width, 3, padding=1)
        self.head = nn.Conv1d(width, tokens, 1)

    def forward(self, x):
        return self.head(torch.relu(self.mid(torch.relu(self.enc(x)))))


def utterance_loss(net, mel, text):
    return nn.functional.cross_entropy(net(mel.unsqueeze(0)), text.unsqueeze(0))


def main():
    torch.manual_seed(281)
    net = WeightNoise(0.3, torch.Generator().manual_seed(2)).install(Recogniser())
    batch = [(torch.randn(3, n), torch.randint(0, 5, (n,))) for n in (6, 4, 7)]
    for mel, text in batch:
        (utterance_loss(net, mel, text) / len(batch)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
