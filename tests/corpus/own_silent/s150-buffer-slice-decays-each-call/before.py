import torch
import torch.nn as nn


class DistanceDecay(nn.Module):
    def __init__(self, length, gamma=0.9):
        super().__init__()
        gap = (torch.arange(length)[:, None] - torch.arange(length)).abs().float()
        self.register_buffer("decay", gamma**gap)

    def forward(self, scores, sharpness):
        n = scores.size(-1)
        decay = self.decay[:n, :n]
        decay.pow_(sharpness)
        return scores * decay


def main():
    torch.manual_seed(461)
    key, decay = nn.Linear(3, 3), DistanceDecay(6)
    results = {}
    for name, length in (("short", 3), ("long", 6), ("again", 3)):
        key.zero_grad()
        x = torch.randn(2, length, 3)
        out = decay(key(x) @ x.mT, 2.0)
        out.square().mean().backward()
        results[name] = key.weight.grad.clone()
    return results


if __name__ == "__main__":
    main()
