import torch
from torch import nn


class LoRALinear(nn.Linear):
    def __init__(self, d_in, d_out, rank=2, alpha=4.0):
        super().__init__(d_in, d_out)
        self.weight.requires_grad = False
        self.A = nn.Parameter(torch.randn(rank, d_in) * 0.1)
        self.B = nn.Parameter(torch.randn(d_out, rank) * 0.1)
        self.scaling, self.merged = alpha / rank, False

    def train(self, mode=True):
        super().train(mode)
        if mode and self.merged:
            self.weight.data -= self.B @ self.A * self.scaling
            self.merged = False
        elif not mode and not self.merged:
            self.weight.data += self.B @ self.A * self.scaling
            self.merged = True
        return self

    def forward(self, x):
        base = super().forward(x)
        return base if self.merged else base + x @ self.A.T @ self.B.T * self.scaling


def main():
    torch.manual_seed(55)
    net = nn.Sequential(LoRALinear(4, 5), nn.Tanh(), LoRALinear(5, 2))
    opt = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=0.05)
    x, y = torch.randn(6, 4), torch.randn(6, 2)
    for _ in range(2):
        net.train()
        opt.zero_grad()
        (net(x) - y).square().mean().backward()
        opt.step()
        net.eval()
        with torch.no_grad():
            pred = net(x)
    return {"pred": pred, "A": net[0].A.grad, "B": net[2].B.grad}


if __name__ == "__main__":
    main()
