import torch
import torch.nn as nn


class Expert(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x):
        return self.down(nn.functional.silu(self.up(x)))


class Router(nn.Module):
    def __init__(self, dim, experts, k):
        super().__init__()
        self.gate, self.k = nn.Linear(dim, experts, bias=False), k

    def forward(self, x):
        weight, index = self.gate(x).softmax(-1).topk(self.k, dim=-1)
        return weight / weight.sum(-1, keepdim=True), index


class SparseMoE(nn.Module):
    def __init__(self, dim, hidden, experts, k):
        super().__init__()
        self.router = Router(dim, experts, k)
        self.experts = nn.ModuleList(Expert(dim, hidden) for _ in range(experts))

    def forward(self, x):
        weight, index = self.router(x)
        out = torch.zeros_like(x)
        load = torch.zeros(len(self.experts))
        for e, expert in enumerate(self.experts):
            token, slot = (index == e).nonzero(as_tuple=True)
            if len(token):
                out = out.index_add(0, token, expert(x[token]) * weight[token, slot].unsqueeze(1))
            load = torch.where(torch.arange(len(load)) == e, float(len(token)), load)
        return x + out, load / load.sum()


def main():
    torch.manual_seed(102)
    layers = nn.ModuleList([SparseMoE(4, 6, 3, 2), SparseMoE(4, 6, 3, 2)])
    x, loads = torch.randn(7, 4), []
    h = x
    for layer in layers:
        h, load = layer(h)
        loads.append(load)
    (h - x.flip(0)).pow(2).mean().backward()
    return {"load": torch.stack(loads), **{n: p.grad for n, p in layers.named_parameters()}}


if __name__ == "__main__":
    main()
