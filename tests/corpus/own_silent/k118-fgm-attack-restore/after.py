import torch
from torch import nn


class FGM:
    def __init__(self, model, name="embed"):
        self.model, self.name, self.backup = model, name, {}

    def attack(self, epsilon=0.5):
        for name, param in self.model.named_parameters():
            if param.requires_grad and self.name in name:
                self.backup[name] = param.data.clone()
                norm = torch.norm(param.grad)
                if norm != 0 and not torch.isnan(norm):
                    param.data = param.data + epsilon * param.grad / norm

    def restore(self):
        for name, param in self.model.named_parameters():
            if name in self.backup:
                param.data = self.backup[name]
        self.backup = {}


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.fc = nn.Embedding(6, 4), nn.Linear(4, 2)

    def forward(self, ids):
        return self.fc(self.embed(ids).mean(1).tanh())


def main():
    torch.manual_seed(175)
    model = Classifier()
    fgm, opt = FGM(model), torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(2):
        ids, y = torch.randint(0, 6, (4, 3)), torch.randint(0, 2, (4,))
        opt.zero_grad()
        nn.functional.cross_entropy(model(ids), y).backward()
        fgm.attack()
        nn.functional.cross_entropy(model(ids), y).backward()
        fgm.restore()
        opt.step()
    return {n: p for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
