import torch
import torch.nn as nn


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.cell = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)
        self.vocab = vocab

    def forward(self, h, tgt, teacher=0.5):
        b, t = tgt.shape
        logits = torch.zeros(t, b, self.vocab)
        tok = tgt[:, 0]
        for i in range(t):
            h = self.cell(self.emb(tok), h)
            step = self.out(h)
            logits[i] = step
            use_truth = torch.rand(1).item() < teacher
            tok = tgt[:, i] if use_truth else step.argmax(-1)
        return logits.transpose(0, 1)


def main():
    torch.manual_seed(34)
    dec = Decoder(7, 5)
    tgt = torch.randint(0, 7, (3, 4))
    y = dec(torch.zeros(3, 5), tgt)
    nn.functional.cross_entropy(y.reshape(-1, 7), tgt.reshape(-1)).backward()
    return {n: p.grad for n, p in dec.named_parameters()}


if __name__ == "__main__":
    main()
