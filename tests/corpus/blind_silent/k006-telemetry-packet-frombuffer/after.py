import io
import struct

import torch
import torch.nn as nn


class PacketReader:
    """Fixed-size float packets from a socket-like stream."""

    def __init__(self, stream: io.BufferedIOBase, channels: int, samples: int):
        self.stream, self.shape = stream, (samples, channels)
        self.packet = bytearray(4 * channels * samples)

    def read(self):
        got = self.stream.readinto(self.packet)
        if got < len(self.packet):
            return None
        return torch.frombuffer(self.packet, dtype=torch.float32).view(self.shape).clone()


def fake_stream(packets, channels, samples, seed):
    gen = torch.Generator().manual_seed(seed)
    out = io.BytesIO()
    for _ in range(packets):
        vals = torch.randn(channels * samples, generator=gen).tolist()
        out.write(struct.pack(f"{len(vals)}f", *vals))
    out.seek(0)
    return out


class Anomaly(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.enc = nn.Linear(channels, 3)
        self.dec = nn.Linear(3, channels)

    def forward(self, x):
        return (self.dec(torch.sigmoid(self.enc(x))) - x.mean(0)).square().mean()


def accumulate(model, reader):
    losses = []
    while (x := reader.read()) is not None:
        losses.append(model(x))
    return torch.stack(losses).mean()


def main():
    torch.manual_seed(8)
    model = Anomaly(4)
    reader = PacketReader(fake_stream(3, 4, 6, seed=2), channels=4, samples=6)
    accumulate(model, reader).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
