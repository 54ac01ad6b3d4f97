import numpy as np
import torch
import torch.nn as nn


class StreamBuffer:
    """Keeps the last window of samples of a microphone stream."""

    def __init__(self, window, hop):
        self.ring = np.zeros(window, dtype=np.float32)
        self.hop = hop

    def feed(self, chunk):
        self.ring[:-self.hop] = self.ring[self.hop:].copy()
        self.ring[-self.hop:] = chunk

    def frame(self):
        return torch.from_numpy(self.ring).unsqueeze(0)


class Spotter(nn.Module):
    def __init__(self, window, hidden):
        super().__init__()
        self.proj = nn.Linear(window, hidden)
        self.cell = nn.GRUCell(hidden, hidden)
        self.score = nn.Linear(hidden, 2)

    def forward(self, frame, state):
        state = self.cell(torch.tanh(self.proj(frame)), state)
        return self.score(state), state


def chunks(signal, hop):
    for start in range(0, len(signal), hop):
        yield signal[start:start + hop]


def main():
    torch.manual_seed(0)
    rng = np.random.default_rng(7)
    signal = rng.standard_normal(24).astype(np.float32)
    buffer, net = StreamBuffer(window=12, hop=4), Spotter(12, 6)
    state, losses = None, []
    target = torch.tensor([1])
    for chunk in chunks(signal, 4):
        buffer.feed(chunk)
        logits, state = net(buffer.frame(), state)
        losses.append(nn.functional.cross_entropy(logits, target))
    torch.stack(losses).mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
