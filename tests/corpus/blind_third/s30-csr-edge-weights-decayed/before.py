import torch
import torch.nn as nn


class DiffusionConv(nn.Module):
    """K-hop diffusion with edge weights that fade with the hop."""

    def __init__(self, d_in, d_out, hops=3, fade=0.5):
        super().__init__()
        self.lins = nn.ModuleList(nn.Linear(d_in, d_out, bias=False) for _ in range(hops))
        self.hops, self.fade = hops, fade

    def forward(self, x, crow, col, weight):
        n = x.shape[0]
        weight = weight.clone()
        out, h = 0.0, x
        for lin in self.lins:
            adj = torch.sparse_csr_tensor(crow, col, weight, (n, n))
            h = torch.tanh(adj @ h)
            out = out + lin(h)
            weight.mul_(self.fade)
        return out


class TrafficNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.conv, self.head = nn.Linear(2, 6), DiffusionConv(6, 6), nn.Linear(6, 1)

    def forward(self, speed, graph):
        return self.head(torch.relu(self.conv(self.embed(speed), *graph))).squeeze(-1)


def main():
    torch.manual_seed(130)
    crow, col = torch.tensor([0, 2, 4, 6, 8, 9]), torch.tensor([0, 1, 1, 2, 2, 3, 3, 4, 0])
    graph = (crow, col, torch.rand(9) + 0.5)
    net = TrafficNet()
    speed, flow = torch.randn(5, 2), torch.randn(5)
    nn.functional.mse_loss(net(speed, graph), flow).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
