import torch
import torch.nn as nn


class MoE(nn.Module):
    def __init__(self, d, experts, k=2):
        super().__init__()
        self.router = nn.Linear(d, experts, bias=False)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(inplace=True), nn.Linear(2 * d, d)) for _ in range(experts))
        self.k = k
        self.register_buffer("load", torch.zeros(experts))

    def forward(self, x):
        probs = self.router(x).softmax(-1)
        w, idx = probs.topk(self.k, dim=-1)
        w = w / w.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            tok, slot = (idx == e).nonzero(as_tuple=True)
            if len(tok):
                out.index_add_(0, tok, w[tok, slot, None] * expert(x[tok]))
        self.load += probs.detach().mean(0)
        return out, probs.mean(0).square().sum()


def main():
    torch.manual_seed(97)
    moe = MoE(4, 3)
    x = torch.randn(6, 4, requires_grad=True)
    y, balance = moe(x)
    (y.square().mean() + 0.1 * balance).backward()
    return {"x": x.grad, **{n: p.grad for n, p in moe.named_parameters()}}


if __name__ == "__main__":
    main()
