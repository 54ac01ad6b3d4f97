import torch
import torch.nn as nn


def stable_softmax(scores, mask):
    scores = scores.masked_fill(~mask, -1e9)
    scores = scores - scores.detach().amax(dim=-1, keepdim=True)
    weights = scores.exp()
    return weights / weights.sum(-1, keepdim=True)


class AdditivePooling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj, self.query = nn.Linear(dim, dim), nn.Linear(dim, 1, bias=False)

    def forward(self, h, mask):
        scores = self.query(torch.tanh(self.proj(h))).squeeze(-1)
        return (stable_softmax(scores, mask).unsqueeze(-1) * h).sum(1)


class NewsEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.pool = AdditivePooling(dim)

    def forward(self, ids):
        h = torch.relu(self.conv(self.embed(ids).transpose(1, 2))).transpose(1, 2)
        return self.pool(h, ids != 0)


class ClickModel(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.news, self.user = NewsEncoder(vocab, dim), AdditivePooling(dim)

    def forward(self, history, candidate):
        clicked = torch.stack([self.news(h) for h in history.unbind(1)], dim=1)
        user = self.user(clicked, torch.ones(clicked.shape[:2], dtype=torch.bool))
        return (user * self.news(candidate)).sum(-1)


def main():
    torch.manual_seed(106)
    model = ClickModel(15, 4)
    history, candidate = torch.randint(1, 15, (2, 3, 5)), torch.tensor([[3, 4, 0, 0, 0], [5, 6, 7, 0, 0]])
    loss = nn.functional.binary_cross_entropy_with_logits(model(history, candidate), torch.tensor([1.0, 0.0]))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
