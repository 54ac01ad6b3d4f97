from copy import deepcopy

import torch
import torch.nn as nn


class ModelEma(nn.Module):
    def __init__(self, model: nn.Module, decay: float = 0.9):
        super().__init__()
        self.module = deepcopy(model).eval()
        self.decay = decay
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model: nn.Module) -> None:
        for ema_p, p in zip(self.module.parameters(), model.parameters()):
            ema_p.data = ema_p * self.decay + p * (1 - self.decay)
        for ema_b, b in zip(self.module.buffers(), model.buffers()):
            ema_b.data = b.clone()


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm, self.fc = nn.BatchNorm1d(dim), nn.Linear(dim, dim)

    def forward(self, x):
        return x + self.fc(torch.relu(self.norm(x)))


def main():
    torch.manual_seed(19)
    net = nn.Sequential(nn.Linear(3, 6), Block(6), nn.Linear(6, 2))
    ema = ModelEma(net)
    opt = torch.optim.Adam(net.parameters(), lr=0.02)
    for _ in range(3):
        x, y = torch.randn(10, 3), torch.randint(0, 2, (10,))
        loss = nn.functional.cross_entropy(net(x), y)
        ema.update(net)
        opt.zero_grad()
        loss.backward()
        opt.step()
    ema.update(net)
    return {**{f"ema.{n}": p.clone() for n, p in ema.module.named_parameters()}, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
