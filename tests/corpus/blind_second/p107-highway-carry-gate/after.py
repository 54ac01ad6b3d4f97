import torch
import torch.nn as nn


class CharCNN(nn.Module):
    def __init__(self, chars, dim, filters):
        super().__init__()
        self.table = nn.Embedding(chars, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, n, w) for w, n in filters)

    def forward(self, ids):
        x = self.table(ids).transpose(1, 2)
        return torch.cat([torch.tanh(c(x)).amax(-1) for c in self.convs], dim=-1)


class Highway(nn.Module):
    def __init__(self, dim, layers):
        super().__init__()
        self.transform = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))
        self.gate = nn.ModuleList(nn.Linear(dim, dim) for _ in range(layers))

    def forward(self, x):
        for transform, gate in zip(self.transform, self.gate):
            t = torch.sigmoid(gate(x))
            carry = (1 - t) * x
            x = t * torch.relu(transform(x)) + carry
        return x


class WordTagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.chars = CharCNN(12, 4, [(2, 3), (3, 5)])
        self.highway = Highway(8, 2)
        self.tag = nn.Linear(8, 4)

    def forward(self, ids):
        return self.tag(self.highway(self.chars(ids)))


def main():
    torch.manual_seed(47)
    model = WordTagger()
    ids = torch.randint(0, 12, (5, 6))
    nn.functional.cross_entropy(model(ids), torch.tensor([0, 1, 2, 3, 0])).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
