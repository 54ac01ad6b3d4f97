import torch
from torch import nn
import torch.nn.functional as F


class FeatureBank(nn.Module):
    def __init__(self, size, dim):
        super().__init__()
        self.register_buffer("rows", F.normalize(torch.randn(size, dim), dim=1))
        self.register_buffer("cursor", torch.zeros((), dtype=torch.long))

    def scores(self, query):
        return query @ self.rows.clone().t()

    @torch.no_grad()
    def enqueue(self, keys):
        size = self.rows.shape[0]
        where = (self.cursor + torch.arange(len(keys))) % size
        self.rows.index_copy_(0, where, keys)
        self.cursor.copy_((self.cursor + len(keys)) % size)


class ContrastiveModel(nn.Module):
    def __init__(self, dim=4, bank=8, temperature=0.2):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, dim))
        self.momentum_encoder = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, dim))
        self.momentum_encoder.load_state_dict(self.encoder.state_dict())
        self.bank = FeatureBank(bank, dim)
        self.temperature = temperature

    @torch.no_grad()
    def keys(self, x):
        return F.normalize(self.momentum_encoder(x), dim=1)

    def forward(self, view_a, view_b):
        q = F.normalize(self.encoder(view_a), dim=1)
        k = self.keys(view_b)
        positive = (q * k).sum(dim=1, keepdim=True)
        logits = torch.cat([positive, self.bank.scores(q)], dim=1) / self.temperature
        self.bank.enqueue(k)
        return logits, torch.zeros(len(q), dtype=torch.long)


def pretrain_step(model, views):
    logits, labels = model(*views)
    loss = F.cross_entropy(logits, labels)
    loss.backward()
    return loss.detach()


def main():
    torch.manual_seed(0)
    model = ContrastiveModel()
    x = torch.randn(3, 6)
    loss = pretrain_step(model, (x + 0.1 * torch.randn(3, 6), x))
    return {"loss": loss, "rows": model.bank.rows, **{n: p.grad for n, p in model.encoder.named_parameters()}}


if __name__ == "__main__":
    main()
