import struct
import torch
import torch.nn as nn


class Ring:
    """Fixed-size ring of float32 samples filled by the acquisition driver."""

    def __init__(self, n):
        self.n = n
        self.raw = bytearray(4 * n)

    def push(self, samples):
        keep = self.raw[4 * len(samples):]
        self.raw[:] = keep + struct.pack(f"{len(samples)}f", *samples)

    def window(self):
        return torch.frombuffer(self.raw, dtype=torch.float32)


class Detector(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.fc = nn.Linear(n, 6)
        self.out = nn.Linear(6, 1)

    def forward(self, w):
        return self.out(torch.tanh(self.fc(w)))


def main():
    torch.manual_seed(104)
    ring, net = Ring(8), Detector(8)
    stream = torch.randn(5, 4)
    labels = torch.tensor([0.0, 1.0, 1.0, 0.0, 1.0])
    losses = []
    for chunk, y in zip(stream, labels):
        ring.push(chunk.tolist())
        logit = net(ring.window())
        losses.append(nn.functional.binary_cross_entropy_with_logits(logit.squeeze(), y))
    total = torch.stack(losses).mean()
    total.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
