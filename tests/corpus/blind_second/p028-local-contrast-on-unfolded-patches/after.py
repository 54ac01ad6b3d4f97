import torch
import torch.nn as nn


class PatchBank(nn.Module):
    """Coates-Ng style features: contrast-normalised patches against learned atoms."""

    def __init__(self, size, stride, atoms, eps=0.1):
        super().__init__()
        self.size, self.stride, self.eps = size, stride, eps
        self.atoms = nn.Linear(size * size, atoms)

    def extract(self, images):
        grid = images.unfold(1, self.size, self.stride).unfold(2, self.size, self.stride)
        return grid

    def contrast(self, grid):
        grid = grid - grid.mean(dim=(-2, -1), keepdim=True)
        grid = grid / (grid.std(dim=(-2, -1), keepdim=True) + self.eps)
        return grid.flatten(-2)

    def forward(self, images):
        codes = torch.relu(self.atoms(self.contrast(self.extract(images))))
        return codes.mean(dim=(1, 2))


class DigitModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.bank = PatchBank(size=4, stride=2, atoms=9)
        self.out = nn.Linear(9, 10)

    def forward(self, images):
        return self.out(self.bank(images))


def main():
    torch.manual_seed(30)
    model = DigitModel()
    images, labels = torch.rand(3, 10, 10), torch.tensor([4, 7, 1])
    loss = nn.functional.cross_entropy(model(images), labels)
    loss.backward()
    return {"loss": loss.detach(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
