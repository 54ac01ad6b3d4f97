from typing import NamedTuple

import torch
import torch.nn as nn


class Clip(NamedTuple):
    audio: torch.Tensor
    video: torch.Tensor
    label: torch.Tensor


class LateFusion(nn.Module):
    """On-the-fly modulation slows the stronger modality down."""

    def __init__(self, d_audio, d_video, classes):
        super().__init__()
        self.audio, self.video = nn.Linear(d_audio, classes), nn.Linear(d_video, classes)

    def forward(self, clip: Clip):
        v = self.video(clip.video)
        a = self.audio(clip.audio)
        if self.training:
            with torch.no_grad():
                conf = [m.softmax(1).gather(1, clip.label[:, None]).sum() for m in (a, v)]
                k = 1 - torch.tanh((conf[0] / conf[1]).clamp(min=0.5))
            a.register_hook(lambda g: g * k)
        return a + v


def main():
    torch.manual_seed(337)
    net = LateFusion(4, 6, 3)
    clip = Clip(torch.randn(9, 4), torch.randn(9, 6), torch.randint(0, 3, (9,)))
    nn.functional.cross_entropy(net(clip), clip.label).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
