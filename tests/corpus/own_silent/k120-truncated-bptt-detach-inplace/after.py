import torch
from torch import nn


class Stream(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.cell, self.head = nn.LSTMCell(2, dim), nn.Linear(dim, 1)
        self.state = None

    def reset(self, batch):
        self.state = [torch.zeros(batch, self.cell.hidden_size) for _ in range(2)]

    def cut(self):
        self.state = [s.detach() for s in self.state]

    def forward(self, xs):
        outs = []
        for x in xs:
            self.state = list(self.cell(x, self.state))
            outs.append(self.head(self.state[0]))
        return torch.stack(outs)


def main():
    torch.manual_seed(195)
    net = Stream(4)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    net.reset(3)
    xs, ys = torch.randn(9, 3, 2), torch.randn(9, 3, 1)
    for x, y in zip(xs.split(3), ys.split(3)):
        opt.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        opt.step()
        net.cut()
    return {n: p for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
