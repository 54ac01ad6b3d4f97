from contextlib import contextmanager
import torch
import torch.nn as nn


def grid(w, bits=3):
    step = w.abs().max() / (2 ** (bits - 1) - 1)
    return torch.round(w / step) * step


@contextmanager
def low_bit(model):
    master = {}
    for name, p in model.named_parameters():
        if p.dim() > 1:
            master[name] = p.data.clone()
            p.data.copy_(grid(p.data))
    yield model
    for name, p in model.named_parameters():
        if name in master:
            p.data.copy_(master[name])


def main():
    torch.manual_seed(29)
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.02)
    x = torch.randn(20, 4)
    y = x.prod(1, keepdim=True)
    for _ in range(4):
        opt.zero_grad()
        with low_bit(model):
            (model(x) - y).square().mean().backward()
        opt.step()
    return {n: p.detach() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
