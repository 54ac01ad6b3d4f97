import torch
from torch import nn


class SlotRouter(nn.Module):
    def __init__(self, dim, slots):
        super().__init__()
        self.value = nn.Linear(dim, dim)
        self.slots = slots

    def forward(self, tokens, assignment):
        v = self.value(tokens)
        table = v.new_zeros(self.slots, v.size(1))
        table.index_add_(0, assignment, v)
        return table


def main():
    torch.manual_seed(371)
    router = SlotRouter(3, 3)
    assignment = torch.tensor([0, 2, 0, 1, 2])
    table = router(torch.randn(5, 3), assignment)
    table.tanh().sum().backward()
    return {"table": table, **{n: p.grad for n, p in router.named_parameters()}}


if __name__ == "__main__":
    main()
