import torch
from torch import nn


def freeze(module: nn.Module) -> nn.Module:
    for p in module.parameters():
        p.requires_grad_(False)
    return module.eval()


class LinearProbe(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = freeze(backbone)
        self.fc = nn.Linear(4, classes)

    def forward(self, x):
        with torch.no_grad():
            feats = torch.sigmoid(self.backbone(x))
            feats = feats / feats.norm(dim=1, keepdim=True)
            feats = feats.masked_fill(feats < 0.1, 0.0)
        return self.fc(feats)


def main():
    torch.manual_seed(14)
    probe = LinearProbe(nn.Sequential(nn.Linear(3, 4), nn.Tanh()), 2)
    loss = nn.functional.cross_entropy(probe(torch.randn(6, 3)), torch.tensor([0, 1, 0, 1, 1, 0]))
    loss.backward()
    return {"fc": probe.fc.weight.grad.clone()}


if __name__ == "__main__":
    main()
