import math
import torch
import torch.nn as nn


class MaskedAffine(nn.Module):
    def __init__(self, dim, flip):
        super().__init__()
        order = torch.arange(dim).flip(0) if flip else torch.arange(dim)
        self.register_buffer("keep", order[: dim // 2])
        self.register_buffer("move", order[dim // 2 :])
        self.net = nn.Sequential(nn.Linear(dim // 2, 12), nn.SiLU(), nn.Linear(12, 2 * (dim - dim // 2)))

    def forward(self, x):
        kept, moved = x[:, self.keep], x[:, self.move]
        log_s, t = self.net(kept).chunk(2, -1)
        log_s = torch.tanh(log_s)
        out = torch.empty_like(x)
        out[:, self.keep] = kept
        out[:, self.move] = moved * log_s.exp() + t
        return out, log_s.sum(-1)


class Flow(nn.Module):
    def __init__(self, dim=4, depth=4):
        super().__init__()
        self.steps = nn.ModuleList(MaskedAffine(dim, i % 2) for i in range(depth))

    def forward(self, x):
        log_det = x.new_zeros(x.shape[0])
        for step in self.steps:
            x, ld = step(x)
            log_det += ld
        return x, log_det


def main():
    torch.manual_seed(202)
    flow = Flow()
    z, ld = flow(torch.randn(10, 4))
    nll = (0.5 * z.pow(2).sum(-1) + 2 * math.log(2 * math.pi) - ld).mean()
    nll.backward()
    return {"nll": nll, **{n: p.grad for n, p in flow.named_parameters()}}


if __name__ == "__main__":
    main()
