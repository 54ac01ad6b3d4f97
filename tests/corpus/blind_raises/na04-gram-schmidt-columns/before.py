import torch
import torch.nn as nn
import torch.nn.functional as F


def project_out(rows, upto):
    target = rows[upto]
    for k in range(upto):
        coef = (rows[k] * target).sum() / rows[k].square().sum()
        target -= coef * rows[k]
    return target


def orthogonalise(matrix):
    rows = matrix * 1.0
    basis = []
    for i in range(rows.shape[0]):
        v = project_out(rows, i)
        basis.append(F.normalize(v, dim=0))
    return torch.stack(basis)


class OrthoHead(nn.Module):
    def __init__(self, dim, directions):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(directions, dim))

    def forward(self, h):
        return h @ orthogonalise(self.raw).t()


class DisentangledEncoder(nn.Module):
    def __init__(self, dim=6, directions=3):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, dim), nn.Tanh())
        self.head = OrthoHead(dim, directions)

    def forward(self, x):
        return self.head(self.body(x))


def main():
    torch.manual_seed(7)
    enc = DisentangledEncoder()
    codes = enc(torch.randn(5, 4))
    target = torch.randn(5, 3)
    loss = F.smooth_l1_loss(codes, target)
    loss.backward()
    return {n: p.grad.clone() for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
