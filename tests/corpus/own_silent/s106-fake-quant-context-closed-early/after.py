import contextlib

import torch
import torch.nn as nn


@contextlib.contextmanager
def int_weights(model, bits=2):
    kept = []
    for m in model.modules():
        if isinstance(m, nn.Conv2d):
            w = m.weight.data
            kept.append((m.weight, w.clone()))
            step = w.abs().amax() / (2 ** (bits - 1))
            w.copy_((w / step).round() * step)
    try:
        yield model
    finally:
        for param, full in kept:
            param.data.copy_(full)


def main():
    torch.manual_seed(41)
    model = nn.Sequential(nn.Conv2d(1, 3, 3), nn.ReLU(), nn.Conv2d(3, 2, 3))
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    image, target = torch.randn(2, 1, 6, 6), torch.randn(2, 2, 2, 2)
    for _ in range(2):
        with int_weights(model) as quantised:
            loss = nn.functional.mse_loss(quantised(image), target)
            opt.zero_grad()
            loss.backward()
        opt.step()
    return {name: p.grad for name, p in model.named_parameters()}


if __name__ == "__main__":
    main()
