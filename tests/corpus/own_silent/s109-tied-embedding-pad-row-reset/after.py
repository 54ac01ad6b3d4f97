import torch
import torch.nn as nn


class TinyLM(nn.Module):
    pad = 0

    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, ids):
        h, _ = self.rnn(self.embed(ids))
        return nn.functional.linear(h, self.embed.weight)

    def blank_padding(self):
        self.embed.weight.data[self.pad].zero_()


def main():
    torch.manual_seed(71)
    lm = TinyLM(7, 4)
    ids = torch.randint(1, 7, (3, 6))
    logits = lm(ids[:, :-1])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    lm.blank_padding()
    return {"embed": lm.embed.weight.grad, "hh": lm.rnn.weight_hh_l0.grad}


if __name__ == "__main__":
    main()
