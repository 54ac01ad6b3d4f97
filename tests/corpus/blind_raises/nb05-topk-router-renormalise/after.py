import torch
from torch import nn
import torch.nn.functional as F


class SwiGLU(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.w1 = nn.Linear(dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, dim, bias=False)
        self.w3 = nn.Linear(dim, hidden, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class SparseMoeBlock(nn.Module):
    def __init__(self, dim, hidden, num_experts=4, top_k=2):
        super().__init__()
        self.num_experts, self.top_k = num_experts, top_k
        self.gate = nn.Linear(dim, num_experts, bias=False)
        self.experts = nn.ModuleList(SwiGLU(dim, hidden) for _ in range(num_experts))

    def route(self, flat):
        probs = F.softmax(self.gate(flat), dim=1)
        weights, selected = torch.topk(probs, self.top_k, dim=-1)
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights, selected, probs

    def forward(self, hidden_states):
        b, t, d = hidden_states.shape
        flat = hidden_states.view(-1, d)
        weights, selected, probs = self.route(flat)
        final = torch.zeros_like(flat)
        for e, expert in enumerate(self.experts):
            rows, slot = torch.where(selected == e)
            if rows.numel() == 0:
                continue
            out = expert(flat[rows]) * weights[rows, slot, None]
            final = final.index_add(0, rows, out)
        return final.view(b, t, d), probs


def load_balancing(probs, top_k):
    picked = F.one_hot(probs.topk(top_k, dim=-1).indices, probs.shape[-1]).float()
    return probs.shape[-1] * (picked.mean(0) * probs.mean(0)).sum()


def main():
    torch.manual_seed(0)
    block = SparseMoeBlock(6, 8)
    y, probs = block(torch.randn(2, 5, 6))
    (y.square().mean() + 0.01 * load_balancing(probs, 2)).backward()
    return {n: p.grad for n, p in block.named_parameters()}


if __name__ == "__main__":
    main()
