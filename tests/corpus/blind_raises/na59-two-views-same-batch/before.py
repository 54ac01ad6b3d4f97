import copy

import torch
from torch import nn
import torch.nn.functional as F


def brightness(x, gen):
    return x.mul_(0.8 + 0.4 * torch.rand(len(x), 1, 1, 1, generator=gen))


def noise(x, gen, std=0.1):
    return x.add_(std * torch.randn(x.shape, generator=gen)).clamp_(0, 1)


class Augmenter:
    def __init__(self, ops, views=2, seed=0):
        self.ops, self.views = ops, views
        self.gen = torch.Generator().manual_seed(seed)

    def __call__(self, batch):
        for _ in range(self.views):
            for op in self.ops:
                batch = op(batch, self.gen)
            yield batch


class ConvEncoder(nn.Module):
    def __init__(self, dim=4):
        super().__init__()
        self.conv = nn.Conv2d(1, 3, 3, stride=2)
        self.proj = nn.Linear(3, dim)

    def forward(self, x):
        return self.proj(F.elu(self.conv(x)).mean(dim=(2, 3)))


class BYOL(nn.Module):
    def __init__(self):
        super().__init__()
        self.online = ConvEncoder()
        self.target = copy.deepcopy(self.online)
        for p in self.target.parameters():
            p.requires_grad = False
        self.predictor = nn.Linear(4, 4)

    def forward(self, views):
        online, target = [], []
        for v in views:
            online.append(self.predictor(self.online(v)))
            target.append(self.target(v))
        pairs = zip(online, reversed(target))
        return sum(2 - 2 * F.cosine_similarity(o, t.detach()).mean() for o, t in pairs)


def main():
    torch.manual_seed(0)
    model = BYOL()
    augment = Augmenter([brightness, noise], seed=1)
    loss = model(augment(torch.rand(3, 1, 7, 7)))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters() if p.requires_grad}


if __name__ == "__main__":
    main()
