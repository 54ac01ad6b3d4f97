import torch
import torch.nn as nn


class AttentionPool(nn.Sequential):
    def __init__(self, dim, p):
        super().__init__(
            nn.Linear(dim, dim),
            nn.Tanh(),
            nn.Linear(dim, 1),
            nn.Softmax(dim=1),
            nn.Dropout(p),
        )

    def forward(self, bag):
        weights = super().forward(bag)
        return (weights * bag).sum(dim=1), weights


class SlideClassifier(nn.Module):
    def __init__(self, patch=10, dim=6, classes=2):
        super().__init__()
        self.patch = nn.Sequential(nn.Linear(patch, dim), nn.ReLU())
        self.pool = AttentionPool(dim, 0.25)
        self.out = nn.Linear(dim, classes)

    def forward(self, bag):
        slide, weights = self.pool(self.patch(bag))
        return self.out(slide), weights


def train_slides(net, bags, labels, epochs=2):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(epochs):
        for bag, label in zip(bags, labels):
            opt.zero_grad()
            logits, weights = net(bag)
            loss = nn.functional.cross_entropy(logits, label)
            loss.backward()
            opt.step()
    return loss.detach()


def main():
    torch.manual_seed(62)
    net = SlideClassifier()
    bags = [torch.randn(1, n, 10) for n in (5, 9)]
    loss = train_slides(net, bags, [torch.tensor([0]), torch.tensor([1])])
    return {"loss": loss, "out": net.out.weight.grad}


if __name__ == "__main__":
    main()
