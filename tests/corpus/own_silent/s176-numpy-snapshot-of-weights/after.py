import numpy as np
import torch
import torch.nn as nn


class FilterTracker:
    def __init__(self, conv):
        self.conv = conv
        self.frames = []

    def snap(self):
        self.frames.append(self.conv.weight.detach().cpu().numpy().copy())

    def movement(self):
        return np.abs(np.diff(np.stack(self.frames), axis=0)).sum(axis=(1, 2, 3))


def main():
    torch.manual_seed(721)
    conv = nn.Conv1d(1, 2, 3)
    tracker, opt = FilterTracker(conv), torch.optim.SGD(conv.parameters(), lr=0.2)
    tracker.snap()
    for _ in range(3):
        opt.zero_grad()
        conv(torch.randn(2, 1, 6)).abs().mean().backward()
        opt.step()
        tracker.snap()
    return {"movement": torch.from_numpy(tracker.movement())}


if __name__ == "__main__":
    main()
