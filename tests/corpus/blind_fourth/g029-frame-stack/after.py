import torch
import torch.nn as nn


def stacked(frames, depth):
    window = torch.zeros(depth, frames.shape[1])
    for f in frames:
        window[:-1] = window[1:].clone()
        window[-1] = f
        yield window.clone()


class Predictor(nn.Module):
    def __init__(self, depth, width):
        super().__init__()
        self.lin = nn.Linear(depth * width, width)

    def forward(self, w):
        return self.lin(w.flatten(1))


def main():
    torch.manual_seed(31)
    frames = torch.randn(7, 3).cumsum(0)
    inputs = torch.stack(list(stacked(frames, 2)))
    net = Predictor(2, 3)
    pred = net(inputs[:-1])
    loss = (pred - frames[1:]).abs().mean()
    loss.backward()
    return {"w": net.lin.weight.grad, "loss": loss.detach()}


if __name__ == "__main__":
    main()
