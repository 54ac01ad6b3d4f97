import math
from functools import partial

import torch
import torch.nn as nn
from torch.optim.lr_scheduler import LambdaLR


def warmup_cosine(step, warmup, total):
    if step < warmup:
        return (step + 1) / warmup
    return 0.5 * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


class Mixer(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.ln = nn.LayerNorm(dim)
        self.tok, self.ch = nn.Linear(tokens, tokens), nn.Linear(dim, dim)
        self.out = nn.Linear(dim, 2)

    def forward(self, x):
        x = x + self.tok(self.ln(x).transpose(1, 2)).transpose(1, 2)
        x = x + nn.functional.gelu(self.ch(x))
        return self.out(x.mean(1))


class Trainer:
    def __init__(self, net, steps):
        self.net, self.steps = net, steps
        self.opt = torch.optim.AdamW(net.parameters(), lr=0.02, weight_decay=0.1, fused=True)
        self.sched = LambdaLR(self.opt, partial(warmup_cosine, warmup=2, total=steps))

    def run(self, gen):
        for _ in range(self.steps):
            x = torch.randn(8, 3, 4, generator=gen)
            y = (x.sum((1, 2)) > 0).long()
            loss = nn.functional.cross_entropy(self.net(x), y)
            self.opt.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.opt.step()
            self.sched.step()


def main():
    torch.manual_seed(23)
    net = Mixer(3, 4)
    Trainer(net, steps=5).run(torch.Generator().manual_seed(1))
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
