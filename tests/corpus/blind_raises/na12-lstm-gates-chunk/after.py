import torch
from torch import nn, Tensor


class LayerNormLSTMCell(nn.Module):
    def __init__(self, input_size: int, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.wx = nn.Linear(input_size, 4 * hidden_size, bias=False)
        self.wh = nn.Linear(hidden_size, 4 * hidden_size)
        self.norm = nn.LayerNorm(4 * hidden_size)

    def init_state(self, batch: int) -> tuple[Tensor, Tensor]:
        zeros = self.wh.weight.new_zeros(batch, self.hidden_size)
        return zeros, zeros

    def forward(self, x: Tensor, state: tuple[Tensor, Tensor]):
        h, c = state
        gates = self.norm(self.wx(x) + self.wh(h))
        i, f, g, o = gates.chunk(4, dim=-1)
        i, f, o = torch.sigmoid(i), torch.sigmoid(f + 1.0), torch.sigmoid(o)
        g = torch.tanh(g)
        c = f * c + i * g
        h = o * torch.tanh(c)
        return h, (h, c)


class Reverse(nn.Module):
    def __init__(self, cell: LayerNormLSTMCell):
        super().__init__()
        self.cell = cell

    def forward(self, seq: Tensor) -> Tensor:
        state = self.cell.init_state(seq.shape[1])
        out = []
        for x in reversed(list(seq)):
            h, state = self.cell(x, state)
            out.insert(0, h)
        return torch.stack(out)


def main():
    torch.manual_seed(4)
    rnn = Reverse(LayerNormLSTMCell(3, 5))
    y = rnn(torch.randn(4, 2, 3))
    (y.mean() + y[0].square().sum()).backward()
    return {n: p.grad for n, p in rnn.named_parameters()}


if __name__ == "__main__":
    main()
