import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, i, o):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(i, 10), nn.ReLU(), nn.Linear(10, o))
        self._z = None

    def embed(self, x):
        self._z = self.net(x)
        return self

    @property
    def radius(self):
        return self._z.norm(dim=-1, keepdim=True).clamp(min=1e-6)

    def unit(self):
        z = self._z
        z /= self.radius
        return z


def triplet(enc, a, p, n, margin=0.3):
    za, zp, zn = (enc.embed(v).unit() for v in (a, p, n))
    return F.relu((za - zp).square().sum(1) - (za - zn).square().sum(1) + margin).mean()


def main():
    torch.manual_seed(41)
    enc = Encoder(4, 3)
    triplet(enc, *torch.randn(3, 8, 4)).backward()
    return {n: p.grad for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
