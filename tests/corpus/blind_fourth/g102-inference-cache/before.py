import torch
import torch.nn as nn


class Lm(nn.Module):
    def __init__(self, vocab, d, size):
        super().__init__()
        self.emb, self.qkv, self.out = nn.Embedding(vocab, d), nn.Linear(d, 3 * d), nn.Linear(d, vocab)
        self.store, self.used = torch.zeros(2, size, d), 0

    def attend(self, q, k, v, mask=None):
        s = q @ k.t()
        if mask is not None:
            s = s.masked_fill_(mask, -1e9)
        return s.softmax(-1) @ v

    def forward(self, ids):
        q, k, v = self.qkv(self.emb(ids)).chunk(3, -1)
        return self.out(self.attend(q, k, v, torch.ones(len(ids), len(ids)).triu(1).bool()))

    @torch.no_grad()
    def generate(self, tok, n):
        for _ in range(n):
            q, k, v = self.qkv(self.emb(tok)).chunk(3, -1)
            self.store[0, self.used], self.store[1, self.used] = k, v
            self.used += 1
            keys, vals = self.store[:, : self.used]
            tok = self.out(self.attend(q[None], keys, vals)[0]).argmax()
        return tok


def main():
    torch.manual_seed(112)
    lm = Lm(7, 4, 5)
    ids = torch.randint(0, 7, (6,))
    loss = nn.functional.cross_entropy(lm(ids[:-1]), ids[1:])
    last = lm.generate(ids[0], 4)
    loss.backward()
    return {"last": last, **{n: p.grad for n, p in lm.named_parameters()}}


if __name__ == "__main__":
    main()
