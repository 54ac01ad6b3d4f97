import torch
from torch import nn


def role_bias(x, special):
    bias = torch.linspace(0, 1, x.size(-1)).expand(x.size(0), -1).contiguous()
    bias[special] += 1.0
    return bias


def stripes(n, width):
    base = torch.arange(n).float()
    frames = base.unfold(0, width, 1).clone()
    for i, frame in enumerate(frames):
        pass
    return frames - torch.arange(len(frames))[:, None]


def main():
    torch.manual_seed(535)
    fc, x = nn.Linear(4, 4), torch.randn(3, 4)
    mask = torch.eye(3, dtype=torch.bool)
    pair = torch.zeros(3, 3)
    pair[mask] += 2.0
    pair[torch.randperm(3)] += 1.0
    y = fc(x) + role_bias(x, 1)
    loss = (pair @ y).tanh().sum() + (stripes(6, 4) @ y.mT).square().mean()
    loss.backward()
    return {"weight": fc.weight.grad, "pair": pair}


if __name__ == "__main__":
    main()
