import torch
import torch.nn as nn


class Classifier(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(6, 10), nn.ReLU())
        self.head = nn.Linear(10, classes)

    def forward(self, x):
        return self.head(self.features(x))

    def grow(self, extra):
        old = self.head
        new = nn.Linear(old.in_features, old.out_features + extra)
        with torch.no_grad():
            new.weight[: old.out_features] = old.weight
            new.bias[: old.out_features] = old.bias
        self.head = new


def run_task(model, opt, x, y):
    opt.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    torch.manual_seed(117)
    model = Classifier(2)
    opt = torch.optim.SGD(model.parameters(), lr=0.5)
    for task in range(2):
        classes = 2 + 2 * task
        if task:
            model.grow(2)
            opt = torch.optim.SGD(model.parameters(), lr=0.5)
        for _ in range(3):
            x, y = torch.randn(12, 6), torch.randint(0, classes, (12,))
            loss = run_task(model, opt, x, y)
    return {"loss": loss, **{n: p.detach() for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
