import torch
from torch import nn


class Workspace:
    """Named scratch tensors that are reused between calls."""

    def __init__(self):
        self.pool = {}

    def get(self, name, shape, like):
        buf = self.pool.get(name)
        if buf is None or buf.shape != torch.Size(shape):
            buf = self.pool[name] = torch.empty(shape, dtype=like.dtype)
        return buf

    def __len__(self):
        return len(self.pool)


class BilinearScorer(nn.Module):
    def __init__(self, dim, relations):
        super().__init__()
        self.entities = nn.Embedding(8, dim)
        self.relation = nn.Parameter(torch.randn(relations, dim, dim) * 0.3)
        self.workspace = Workspace()

    def project(self, heads, rel):
        b, d = heads.shape
        buf = self.workspace.get("proj", (b, 1, d), heads)
        torch.bmm(heads.unsqueeze(1), self.relation[rel], out=buf)
        return buf.squeeze(1)

    def forward(self, triples):
        h, r, t = triples.unbind(dim=1)
        return (self.project(self.entities(h), r) * self.entities(t)).sum(dim=1)


def margin_ranking(model, positive, negative, margin=1.0):
    return torch.relu(margin - model(positive) + model(negative)).mean()


def corrupt(triples, generator):
    fake = triples.clone()
    fake[:, 2] = torch.randint(0, 8, (len(triples),), generator=generator)
    return fake


def main():
    torch.manual_seed(0)
    model = BilinearScorer(dim=4, relations=2)
    positive = torch.stack([torch.randint(0, 8, (6,)), torch.randint(0, 2, (6,)), torch.randint(0, 8, (6,))], dim=1)
    margin_ranking(model, positive, corrupt(positive, torch.Generator().manual_seed(2))).backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
