import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedLinear(nn.Linear):
    def __init__(self, in_degrees, out_degrees, strict):
        super().__init__(len(in_degrees), len(out_degrees))
        below = out_degrees.unsqueeze(1) - in_degrees.unsqueeze(0)
        self.register_buffer("mask", (below > 0 if strict else below >= 0).float())

    def forward(self, x):
        self.weight *= self.mask
        return F.linear(x, self.weight, self.bias)


class MADE(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        order = torch.arange(1, dim + 1)
        inner = torch.arange(hidden) % (dim - 1) + 1
        self.layers = nn.ModuleList([
            MaskedLinear(order, inner, strict=False),
            MaskedLinear(inner, inner, strict=False),
            MaskedLinear(inner, order, strict=True),
        ])

    def forward(self, x):
        *body, last = self.layers
        for layer in body:
            x = torch.relu(layer(x))
        return last(x)

    def nll(self, x):
        return F.binary_cross_entropy_with_logits(self(x), x, reduction="none").sum(1).mean()


def main():
    torch.manual_seed(63)
    model = MADE(5, 12)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    data = torch.randint(0, 2, (8, 5)).float()
    for _ in range(2):
        opt.zero_grad()
        loss = model.nll(data)
        loss.backward()
        opt.step()
    return {"loss": loss.detach(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
