import contextlib
from typing import Optional

import torch
import torch.nn as nn
from torch.autograd.graph import save_on_cpu


@contextlib.contextmanager
def offload(enabled: bool, log: Optional[list] = None):
    stack = contextlib.ExitStack()
    with stack:
        if enabled:
            stack.enter_context(save_on_cpu(pin_memory=False))
        yield
    if log is not None:
        log.append(enabled)


def stats(err: torch.Tensor, cap: float):
    energy = err.pow(4)
    capped = err.clamp(-cap, cap).abs()
    return energy.mean(), capped.mean()


class DepthNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Conv2d(1, 4, 3, stride=2, padding=1)
        self.dec = nn.ConvTranspose2d(4, 1, 4, stride=2, padding=1)

    def forward(self, x):
        return self.dec(nn.functional.leaky_relu(self.enc(x), 0.1))


def train_step(net, image, depth, log):
    with offload(True, log):
        energy, capped = stats(net(image) - depth, cap=0.4)
        loss = 0.2 * energy + capped
    loss.backward()
    return loss.detach()


def main():
    torch.manual_seed(103)
    net, log = DepthNet(), []
    loss = train_step(net, torch.randn(2, 1, 6, 6), torch.rand(2, 1, 6, 6), log)
    return {"loss": loss, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
