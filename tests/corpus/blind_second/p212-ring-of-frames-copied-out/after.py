import numpy as np
import torch
import torch.nn as nn


class FrameRing:
    def __init__(self, depth, size):
        self.store = np.zeros((depth, size, size), dtype=np.float32)
        self.cursor = 0

    def push(self, frame):
        self.store = np.stack([frame if i == self.cursor else f for i, f in enumerate(self.store)])
        self.cursor = (self.cursor + 1) % len(self.store)

    def stack(self):
        return torch.tensor(np.roll(self.store, -self.cursor, axis=0)).unsqueeze(0)


class Policy(nn.Module):
    def __init__(self, depth, actions):
        super().__init__()
        self.conv = nn.Conv2d(depth, 4, 3)
        self.fc = nn.Linear(64, actions)

    def forward(self, x):
        return torch.distributions.Categorical(logits=self.fc(torch.relu(self.conv(x)).flatten(1)))


class Catcher:
    def __init__(self, size, seed):
        self.rng, self.size = np.random.default_rng(seed), size

    def frames(self, n):
        for _ in range(n):
            frame = np.zeros((self.size, self.size), dtype=np.float32)
            frame[self.rng.integers(self.size), self.rng.integers(self.size)] = 1
            yield frame, float(self.rng.standard_normal())


def main():
    torch.manual_seed(92)
    ring, policy = FrameRing(3, 6), Policy(3, 2)
    losses = []
    for frame, reward in Catcher(6, seed=2).frames(4):
        ring.push(frame)
        dist = policy(ring.stack())
        losses.append(-reward * dist.log_prob(torch.tensor([1])))
    torch.cat(losses).sum().backward()
    return {n: p.grad for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
