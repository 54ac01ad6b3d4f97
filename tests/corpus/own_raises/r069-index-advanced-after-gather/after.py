import torch
from torch import nn


class StridedReader(nn.Module):
    """Reads rows of an encoded sequence at a cursor that moves on."""

    def __init__(self, d, hops, stride=2):
        super().__init__()
        self.encode = nn.Conv1d(d, d, 3, padding=1)
        self.score = nn.Linear(d, 1)
        self.hops, self.stride = hops, stride

    def forward(self, seq):
        memory = self.encode(seq).permute(2, 0, 1)
        cursor = torch.zeros(1, dtype=torch.long)
        picked = []
        for _ in range(self.hops):
            picked.append(memory[cursor])
            cursor = cursor + self.stride
        return self.score(torch.cat(picked)).squeeze(-1)


def main():
    torch.manual_seed(78)
    reader = StridedReader(3, hops=3)
    reader(torch.randn(2, 3, 7)).square().sum().backward()
    return {n: p.grad.clone() for n, p in reader.named_parameters()}


if __name__ == "__main__":
    main()
