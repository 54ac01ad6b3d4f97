import torch
from torch import nn
import torch.nn.functional as F


class Replica(nn.Module):
    """Keeps the buffers of a module equal to those of rank zero before every forward."""

    def __init__(self, module, store, broadcast_buffers=True):
        super().__init__()
        self.module = module
        self.store = store
        self.broadcast_buffers = broadcast_buffers

    def _sync_buffers(self):
        with torch.no_grad():
            for name, buf in self.module.named_buffers():
                buf.copy_(self.store[name])

    def forward(self, *args):
        if self.broadcast_buffers and self.module.training:
            self._sync_buffers()
        return self.module(*args)


class PatchDiscriminator(nn.Module):
    def __init__(self, channels=3, width=4):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 4, 2, 1)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.out = nn.Conv2d(width, 1, 1)

    def forward(self, x):
        x = F.leaky_relu(self.conv1(x), 0.2)
        x = self.norm2(self.conv2(x))
        return self.out(F.leaky_relu(x, 0.2))


def hinge(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def discriminator_step(disc, real, fake, opt):
    opt.zero_grad()
    loss = hinge(disc(real), disc(fake.detach()))
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    torch.manual_seed(0)
    net = PatchDiscriminator()
    rank_zero = {n: b.clone() for n, b in net.named_buffers()}
    disc = Replica(net, rank_zero, broadcast_buffers=False)
    opt = torch.optim.Adam(disc.parameters(), lr=1e-3)
    loss = discriminator_step(disc, torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8), opt)
    return {"loss": loss, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
