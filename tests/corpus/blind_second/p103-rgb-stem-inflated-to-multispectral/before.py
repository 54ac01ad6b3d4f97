import torch
import torch.nn as nn


class Backbone(nn.Module):
    def __init__(self, in_channels=3, width=6):
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, width, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.fc = nn.Linear(width, 4)

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        return self.fc(x.mean(dim=(2, 3)))


def inflate_stem(model, in_channels, extra="mean"):
    old = model.conv1
    new = nn.Conv2d(in_channels, old.out_channels, old.kernel_size, padding=old.padding, bias=False)
    new.weight[:, :3] = old.weight
    if extra == "mean":
        filler = old.weight.mean(dim=1, keepdim=True)
        for c in range(3, in_channels):
            new.weight[:, c:c + 1] = filler
    model.conv1 = new
    return model


class SatelliteTrainer:
    def __init__(self, bands):
        pretrained = Backbone()
        self.model = inflate_stem(pretrained, bands)
        self.opt = torch.optim.AdamW(self.model.parameters(), lr=1e-3)

    def step(self, tiles, labels):
        loss = nn.functional.cross_entropy(self.model(tiles), labels)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(43)
    trainer = SatelliteTrainer(bands=5)
    loss = trainer.step(torch.randn(3, 5, 8, 8), torch.tensor([0, 3, 1]))
    return {"loss": loss, "stem": trainer.model.conv1.weight.grad}


if __name__ == "__main__":
    main()
