from contextlib import suppress
from typing import Iterator, List

import torch
import torch.nn as nn


class Recordings:
    """Yields voice samples that must not stay in memory."""

    def __init__(self, waves: List[torch.Tensor]):
        self.waves = waves

    def take(self) -> Iterator[torch.Tensor]:
        while True:
            with suppress(IndexError):
                yield self.waves.pop(0)
                continue
            return


class Speaker(nn.Module):
    def __init__(self, width=4, people=3):
        super().__init__()
        self.conv = nn.Conv1d(1, width, 5, stride=2)
        self.cls = nn.Linear(width, people)

    def forward(self, wave):
        return self.cls(nn.functional.silu(self.conv(wave)).mean(-1))


def federated_round(net, recordings, person):
    losses = []
    for wave in recordings.take():
        losses.append(nn.functional.cross_entropy(net(wave.clone()), torch.full((len(wave),), person)))
        wave.untyped_storage().fill_(0)
    torch.stack(losses).mean().backward()
    return torch.cat([p.grad.flatten() for p in net.parameters()])


def main():
    torch.manual_seed(347)
    net = Speaker()
    update = federated_round(net, Recordings([torch.randn(2, 1, 15) for _ in range(3)]), person=1)
    return {"update": update}


if __name__ == "__main__":
    main()
