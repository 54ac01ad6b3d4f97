import torch
from torch import nn


class History(nn.Module):
    def __init__(self, length, d):
        super().__init__()
        self.register_buffer("frames", torch.zeros(length, d))

    @torch.no_grad()
    def shift(self, frame):
        kept = self.frames.narrow(0, 1, len(self.frames) - 1)
        self.frames.narrow(0, 0, len(self.frames) - 1).copy_(kept)
        self.frames[-1] = frame

    def forward(self, frame):
        self.shift(frame)
        return self.frames.clone()


def main():
    torch.manual_seed(79)
    history, head = History(4, 3), nn.Linear(12, 1)
    outs = [head(history(f).flatten()) for f in torch.randn(3, 3)]
    torch.cat(outs).square().sum().backward()
    return {"head": head.weight.grad.clone()}


if __name__ == "__main__":
    main()
