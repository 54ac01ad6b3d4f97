import torch
from torch import nn


def centre(points):
    return points - points.mean(dim=-2, keepdim=True)


def optimal_rotation(p, q):
    covariance = p.transpose(-1, -2) @ q
    u, s, vh = torch.linalg.svd(covariance)
    flip = torch.det(u) * torch.det(vh) < 0
    for b in torch.nonzero(flip).flatten().tolist():
        vh[b, -1] *= -1.0
    return u @ vh


def aligned_rmsd(pred, target):
    pred, target = centre(pred), centre(target)
    rotation = optimal_rotation(pred, target)
    return (pred @ rotation - target).square().sum(-1).mean(-1).sqrt()


class BackboneFolder(nn.Module):
    def __init__(self, residues, dim=6):
        super().__init__()
        self.residue = nn.Embedding(residues, dim)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.coords = nn.Linear(dim, 3)

    def forward(self, seq):
        h = self.residue(seq).transpose(1, 2)
        h = torch.tanh(self.mix(h)).transpose(1, 2)
        return self.coords(h).cumsum(dim=1)


class FoldingTask:
    def __init__(self, model):
        self.model = model

    def loss(self, batch):
        return aligned_rmsd(self.model(batch["seq"]), batch["xyz"]).mean()


def main():
    torch.manual_seed(0)
    model = BackboneFolder(20)
    batch = {"seq": torch.randint(0, 20, (4, 7)), "xyz": torch.randn(4, 7, 3).cumsum(1)}
    FoldingTask(model).loss(batch).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
