import torch
from torch import nn


class FineTuned(nn.Module):
    def __init__(self, vectors, classes):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(vectors, freeze=False)
        self.out = nn.Linear(vectors.size(1), classes)

    def forward(self, ids):
        return self.out(self.embed(ids).mean(1))


def drift(model, vectors):
    return (model.embed.weight - vectors).norm(dim=1)


def main():
    torch.manual_seed(691)
    vectors = torch.randn(6, 3)
    model = FineTuned(vectors, 2)
    opt = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(3):
        ids, y = torch.randint(0, 6, (5, 4)), torch.randint(0, 2, (5,))
        loss = nn.functional.cross_entropy(model(ids), y) + 0.1 * drift(model, vectors).pow(2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {"drift": drift(model, vectors), "embed": model.embed.weight}


if __name__ == "__main__":
    main()
