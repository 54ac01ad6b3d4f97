import random
import torch
import torch.nn as nn


def blank(spec, rng, width=2, fill=0.0):
    spec = spec.clone()
    t0 = rng.randrange(spec.size(1) - width)
    f0 = rng.randrange(spec.size(2) - width)
    spec[:, t0:t0 + width] = fill
    spec[:, :, f0:f0 + width] = fill
    return spec


class Acoustic(nn.Module):
    def __init__(self, mel, n):
        super().__init__()
        self.rnn = nn.GRU(mel, 6, batch_first=True)
        self.out = nn.Linear(6, n)

    def forward(self, x):
        h, _ = self.rnn(x)
        return self.out(h).log_softmax(-1)


def main():
    torch.manual_seed(52)
    rng = random.Random(3)
    net = Acoustic(5, 4)
    spec = torch.randn(2, 8, 5)
    clean = net(spec)
    noisy = net(blank(spec, rng))
    loss = (clean.exp().detach() * (clean.detach() - noisy)).sum(-1).mean() - clean[..., 1:].mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
