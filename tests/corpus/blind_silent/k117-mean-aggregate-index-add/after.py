from collections import namedtuple

import torch
import torch.nn as nn

Molecule = namedtuple("Molecule", "atoms bonds owner")


def scatter_mean(values, ids, n):
    total = values.new_zeros(n, values.size(1))
    total = total.index_add(0, ids, values)
    count = values.new_zeros(n)
    count = count.index_add(0, ids, torch.ones_like(ids, dtype=values.dtype)).clamp(min=1)
    return total / count.unsqueeze(1)


class MPNN(nn.Module):
    def __init__(self, d, rounds):
        super().__init__()
        self.msg = nn.Linear(2 * d, d)
        self.upd = nn.GRUCell(d, d)
        self.read = nn.Linear(d, 1)
        self.rounds = rounds

    def forward(self, mol: Molecule, graphs: int):
        h = mol.atoms
        src, dst = mol.bonds
        for _ in range(self.rounds):
            m = torch.relu(self.msg(torch.cat([h[src], h[dst]], 1)))
            h = self.upd(scatter_mean(m, dst, len(h)), h)
        return self.read(scatter_mean(h, mol.owner, graphs)).squeeze(1)


def main():
    torch.manual_seed(67)
    mol = Molecule(torch.randn(6, 4), torch.tensor([[0, 1, 2, 2, 3, 5, 4], [1, 0, 1, 3, 1, 4, 5]]), torch.tensor([0, 0, 0, 0, 1, 1]))
    net = MPNN(4, rounds=2)
    (net(mol, 2) - torch.tensor([0.5, -0.5])).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
