import torch
import torch.nn as nn


class PeepholeLSTM(nn.Module):
    def __init__(self, d_in, d_h):
        super().__init__()
        self.x2g = nn.Linear(d_in, 4 * d_h)
        self.h2g = nn.Linear(d_h, 4 * d_h, bias=False)
        self.p_i = nn.Parameter(torch.randn(d_h) * 0.3)
        self.p_f = nn.Parameter(torch.randn(d_h) * 0.3)
        self.p_o = nn.Parameter(torch.randn(d_h) * 0.3)
        self.d_h = d_h

    def forward(self, seq):
        B = seq.shape[1]
        h, c = seq.new_zeros(B, self.d_h), seq.new_zeros(B, self.d_h)
        out = []
        for x in seq:
            i, f, g, o = (self.x2g(x) + self.h2g(h)).chunk(4, dim=-1)
            i = torch.sigmoid(i + self.p_i * c)
            f = torch.sigmoid(f + self.p_f * c)
            c = c * f + i * torch.tanh(g)
            o = torch.sigmoid(o + self.p_o * c)
            h = o * torch.tanh(c)
            out.append(h)
        return torch.stack(out)


class Tagger(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = PeepholeLSTM(5, 6)
        self.cls = nn.Linear(6, 3)

    def forward(self, x):
        return self.cls(self.rnn(x))


def main():
    torch.manual_seed(33)
    model = Tagger()
    x, y = torch.randn(5, 3, 5), torch.randint(0, 3, (5, 3))
    nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten()).backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
