import torch
from torch import nn


def unit_rows(matrix, eps=1e-6):
    norms = torch.linalg.vector_norm(matrix, dim=1, keepdim=True)
    tiny = norms < eps
    if tiny.any():
        norms = norms.masked_fill(tiny, eps)
    else:
        norms[norms < 1.0] = 1.0
    return matrix / norms


class Prototypes(nn.Module):
    def __init__(self, classes, dim):
        super().__init__()
        self.centres = nn.Parameter(0.3 * torch.randn(classes, dim))

    def forward(self, feats):
        return unit_rows(feats) @ unit_rows(self.centres).T


def main():
    torch.manual_seed(13)
    backbone, head = nn.Linear(6, 4), Prototypes(3, 4)
    scores = head(backbone(torch.randn(5, 6)))
    nn.functional.multi_margin_loss(scores, torch.tensor([0, 1, 2, 1, 0])).backward()
    return {"centres": head.centres.grad.clone(), "backbone": backbone.weight.grad.clone()}


if __name__ == "__main__":
    main()
