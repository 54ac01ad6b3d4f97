import torch
import torch.nn as nn
import torch.nn.functional as F


class Expert(nn.Sequential):
    def __init__(self, d, mult=2):
        super().__init__(nn.Linear(d, mult * d), nn.GELU(), nn.Linear(mult * d, d))


class TopKMoE(nn.Module):
    def __init__(self, d, n_experts=4, k=2):
        super().__init__()
        self.router = nn.Linear(d, n_experts, bias=False)
        self.experts = nn.ModuleList(Expert(d) for _ in range(n_experts))
        self.k = k

    def forward(self, tokens):
        logits = self.router(tokens)
        gates = F.softmax(logits, dim=-1)
        top = gates.topk(self.k, dim=-1).indices
        drop = torch.ones_like(gates, dtype=torch.bool)
        drop.scatter_(-1, top, False)
        gates.masked_fill_(drop, 0.0)
        gates /= gates.sum(dim=-1, keepdim=True)
        out = torch.zeros_like(tokens)
        for e, expert in enumerate(self.experts):
            idx = (~drop[:, e]).nonzero(as_tuple=True)[0]
            if idx.numel():
                out = out.index_add(0, idx, gates[idx, e, None] * expert(tokens[idx]))
        load = (~drop).float().mean(0)
        return out, (load * logits.softmax(-1).mean(0)).sum()


def main():
    torch.manual_seed(13)
    moe = TopKMoE(6)
    x = torch.randn(9, 6)
    y, aux = moe(x)
    loss = F.mse_loss(y, x) + 0.01 * aux
    loss.backward()
    return {n: p.grad.clone() for n, p in moe.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
