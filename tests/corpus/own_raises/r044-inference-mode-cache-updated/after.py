import torch
from torch import nn


class PrototypeMemory(nn.Module):
    def __init__(self, encoder, classes):
        super().__init__()
        self.encoder = encoder
        self.classes = classes
        self.table = None

    @torch.no_grad()
    def warm_up(self, x, y):
        z = self.encoder(x)
        rows = [z[y == c].mean(0) for c in range(self.classes)]
        self.table = torch.stack(rows)

    def forward(self, x, y):
        z = self.encoder(x)
        logits = -torch.cdist(z, self.table.clone())
        with torch.no_grad():
            for c in y.unique():
                self.table[c].lerp_(z[y == c].mean(0), 0.1)
        return nn.functional.cross_entropy(logits, y)


def main():
    torch.manual_seed(50)
    model = PrototypeMemory(nn.Linear(4, 3), classes=2)
    y = torch.tensor([0, 1, 0, 1])
    model.warm_up(torch.randn(4, 4), y)
    model(torch.randn(4, 4), y).backward()
    return {n: p.grad.clone() for n, p in model.encoder.named_parameters()}


if __name__ == "__main__":
    main()
