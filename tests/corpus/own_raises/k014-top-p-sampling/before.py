import torch
from torch import nn


@torch.no_grad()
def nucleus(logits, p=0.8, temperature=0.9):
    probs = logits.div_(temperature).softmax(-1)
    ordered, order = probs.sort(descending=True)
    beyond = ordered.cumsum(-1) - ordered > p
    ordered[beyond] = 0.0
    ordered /= ordered.sum(-1, keepdim=True)
    return order.gather(-1, ordered.argmax(-1, keepdim=True))


class TinyLM(nn.Module):
    def __init__(self, vocab=7, d=4):
        super().__init__()
        self.emb, self.head = nn.Embedding(vocab, d), nn.Linear(d, vocab)

    def forward(self, ids):
        return self.head(torch.tanh(self.emb(ids)).cumsum(1))

    @torch.no_grad()
    def generate(self, ids, n):
        for _ in range(n):
            ids = torch.cat([ids, nucleus(self(ids)[:, -1])], dim=1)
        return ids


def main():
    torch.manual_seed(13)
    lm = TinyLM()
    ids = lm.generate(torch.tensor([[1, 2], [3, 4]]), 3)
    nn.functional.cross_entropy(lm(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).backward()
    return {n: p.grad.clone() for n, p in lm.named_parameters()}


if __name__ == "__main__":
    main()
