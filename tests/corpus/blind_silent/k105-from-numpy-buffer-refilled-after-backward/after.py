import numpy as np
import torch
import torch.nn as nn


class Ticker:
    """Streams price windows into one preallocated array."""

    def __init__(self, prices: np.ndarray, window: int, batch: int):
        self.prices, self.window = prices.astype(np.float32), window
        self.buffer = np.empty((batch, window + 1), dtype=np.float32)
        self.tensor = torch.from_numpy(self.buffer)

    def fill(self, start: int) -> torch.Tensor:
        rows = np.stack([self.prices[start + r:start + r + self.window + 1] for r in range(len(self.buffer))])
        return torch.from_numpy(rows - rows.mean(axis=1, keepdims=True))


def train(net, ticker, steps, lr):
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    for i in range(steps):
        rows = ticker.fill(3 * i)
        x, y = rows[:, :-1], rows[:, -1:]
        loss = nn.functional.mse_loss(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(17)
    prices = np.cumsum(np.random.default_rng(4).normal(size=40))
    net = nn.Sequential(nn.Linear(5, 6), nn.Tanh(), nn.Linear(6, 1))
    loss = train(net, Ticker(prices, 5, 4), steps=4, lr=0.05)
    return {"loss": loss, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
