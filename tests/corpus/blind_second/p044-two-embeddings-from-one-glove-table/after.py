import torch
import torch.nn as nn


def load_vectors(words, dim, seed):
    g = torch.Generator().manual_seed(seed)
    return torch.randn(len(words), dim, generator=g)


class Tower(nn.Module):
    def __init__(self, vectors, hidden):
        super().__init__()
        self.embed = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        self.proj = nn.Linear(vectors.size(1), hidden)

    def forward(self, ids):
        return torch.tanh(self.proj(self.embed(ids).mean(1)))


class QuestionAnswerRanker(nn.Module):
    def __init__(self, vectors, hidden=5):
        super().__init__()
        self.question, self.answer = Tower(vectors, hidden), Tower(vectors, hidden)
        self.bilinear = nn.Bilinear(hidden, hidden, 1)

    def forward(self, q, a):
        return self.bilinear(self.question(q), self.answer(a)).squeeze(1)


def train(model, batches, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for q, a, y in batches:
        opt.zero_grad()
        loss = nn.functional.binary_cross_entropy_with_logits(model(q, a), y)
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(126)
    words = "where who river king of is the long".split()
    model = QuestionAnswerRanker(load_vectors(words, 4, seed=1))
    batches = [(torch.randint(0, 8, (3, 4)), torch.randint(0, 8, (3, 5)), torch.tensor([1.0, 0.0, 1.0])) for _ in range(3)]
    loss = train(model, batches, lr=1.0)
    return {"loss": loss, "question": model.question.embed.weight.detach().clone()}


if __name__ == "__main__":
    main()
