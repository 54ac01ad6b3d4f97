import torch
import torch.nn as nn


class LSTMEncoder(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.ih, self.hh = nn.Linear(d_in, 4 * d_h), nn.Linear(d_h, 4 * d_h)
        self.d_h = d_h

    def forward(self, seq):
        B = seq.shape[1]
        h, c = seq.new_zeros(B, self.d_h), seq.new_zeros(B, self.d_h)
        outputs = []
        for x in seq:
            gates = self.ih(x)
            gates = gates + self.hh(h)
            i, f, g, o = gates.chunk(4, dim=-1)
            c = c * torch.sigmoid(f) + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        return torch.stack(outputs), h


def main():
    torch.manual_seed(201)
    enc, cls = LSTMEncoder(4, 6), nn.Linear(6, 3)
    seq, y = torch.randn(5, 4, 4), torch.tensor([0, 2, 1, 1])
    out, last = enc(seq)
    loss = nn.functional.cross_entropy(cls(last), y) + 0.01 * out.pow(2).mean()
    loss.backward()
    return {n: p.grad for n, p in [*enc.named_parameters(), *cls.named_parameters()]}


if __name__ == "__main__":
    main()
