import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, d, layers=2, jitter=0.1):
        super().__init__()
        self.h0 = nn.Parameter(torch.zeros(layers, 1, d))
        self.gru = nn.GRU(d, d, layers)
        self.jitter = jitter

    def initial(self, batch):
        h = self.h0.expand(-1, batch, -1)
        if self.training and self.jitter:
            h = h + self.jitter * torch.randn(h.shape)
        return h.contiguous()

    def forward(self, x):
        out, _ = self.gru(x, self.initial(x.size(1)))
        return out


def main():
    torch.manual_seed(52)
    net = Seq2Seq(3)
    net(torch.randn(4, 2, 3)).square().mean().backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
