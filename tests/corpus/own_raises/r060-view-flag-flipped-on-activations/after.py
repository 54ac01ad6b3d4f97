import torch
from torch import nn


class SlotAttention(nn.Module):
    def __init__(self, slots, d, iters=2):
        super().__init__()
        self.slots0 = nn.Parameter(torch.randn(slots, d))
        self.to_k, self.to_v, self.to_q = (nn.Linear(d, d, bias=False) for _ in range(3))
        self.gru = nn.GRUCell(d, d)
        self.iters = iters

    def forward(self, x):
        b, n, d = x.shape
        k, v = self.to_k(x), self.to_v(x)
        slots = self.slots0.unsqueeze(0).repeat(b, 1, 1)
        for _ in range(self.iters):
            logits = torch.einsum("bnd,bsd->bns", k, self.to_q(slots))
            attn = logits.softmax(dim=-1)
            attn = attn.swapaxes(1, 2)
            mean = attn / attn.sum(-1, keepdim=True)
            updates = torch.bmm(mean, v)
            slots = self.gru(updates.reshape(-1, d), slots.reshape(-1, d)).view(b, -1, d)
        return slots


def main():
    torch.manual_seed(69)
    sa = SlotAttention(2, 4)
    sa(torch.randn(2, 5, 4)).square().mean().backward()
    return {n: p.grad.clone() for n, p in sa.named_parameters()}


if __name__ == "__main__":
    main()
