import io

import numpy as np
import torch
import torch.nn as nn


class FrameSource:
    def __init__(self, raw: bytes, frame: int):
        self.stream = io.BytesIO(raw)
        self.scratch = bytearray(4 * frame)

    def __iter__(self):
        return self

    def __next__(self) -> torch.Tensor:
        if self.stream.readinto(self.scratch) != len(self.scratch):
            raise StopIteration
        return torch.frombuffer(self.scratch, dtype=torch.float32).clone()


class Predictor(nn.Module):
    def __init__(self, frame):
        super().__init__()
        self.inp, self.out = nn.Linear(frame, 5), nn.Linear(5, frame)

    def forward(self, x):
        return self.out(torch.relu(self.inp(x)))


def next_frame_loss(net, source):
    prev, losses = None, []
    for cur in source:
        if prev is not None:
            losses.append(nn.functional.l1_loss(net(prev), cur))
        prev = cur
    return torch.stack(losses).mean()


def main():
    torch.manual_seed(13)
    raw = np.random.default_rng(2).normal(size=(5, 6)).astype(np.float32).tobytes()
    net = Predictor(6)
    next_frame_loss(net, FrameSource(raw, 6)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
