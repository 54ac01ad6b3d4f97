import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyLM(nn.Module):
    def __init__(self, vocab: int, dim: int):
        super().__init__()
        self.wte = nn.Embedding(vocab, dim)
        self.mix = nn.Linear(dim, dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.tie()

    def tie(self):
        self.lm_head.weight = self.wte.weight

    def resize(self, vocab: int) -> None:
        old = self.wte.weight.data
        extra = vocab - old.size(0)
        pad = old.mean(0, keepdim=True).repeat(extra, 1)
        self.wte.weight = nn.Parameter(torch.cat([old, pad]))
        self.tie()
        self.wte.num_embeddings = self.lm_head.out_features = vocab

    def forward(self, ids):
        return self.lm_head(torch.tanh(self.mix(self.wte(ids))))


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=lr)

    def fit(self, ids, steps):
        for _ in range(steps):
            self.opt.zero_grad()
            logits = self.model(ids[:, :-1])
            F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()
            self.opt.step()


def main():
    torch.manual_seed(239)
    model = TinyLM(5, 4)
    model.resize(7)
    Trainer(model, lr=0.5).fit(torch.randint(0, 7, (3, 8)), steps=3)
    return {"wte": model.wte.weight.detach().clone(), "head": model.lm_head.weight.detach().clone()}


if __name__ == "__main__":
    main()
