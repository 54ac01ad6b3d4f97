import numpy as np
import torch
import torch.nn as nn


class RunningMeanStd:
    def __init__(self, shape, eps=1e-2):
        self.mean = np.zeros(shape, dtype=np.float32)
        self.var = np.ones(shape, dtype=np.float32)
        self.count = eps

    def update(self, batch: np.ndarray) -> None:
        n = batch.shape[0]
        delta = batch.mean(0) - self.mean
        total = self.count + n
        self.mean += delta * n / total
        self.var *= self.count / total
        self.var += batch.var(0) * n / total + delta ** 2 * self.count * n / total ** 2
        self.count = total


class ValueNet(nn.Module):
    def __init__(self, obs, outs):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 6), nn.Tanh(), nn.Linear(6, outs))
        self.rms = RunningMeanStd(outs)

    def scaled(self, obs, returns):
        var = torch.as_tensor(self.rms.var)
        err = (self.body(obs) - returns) / var.sqrt().clamp(min=0.1)
        return err.square().mean(0) / var


def epoch(net, minibatches):
    total = 0.0
    for obs, returns in minibatches:
        total = total + net.scaled(obs, returns).sum()
        net.rms.update(returns.numpy())
    return total / len(minibatches)


def main():
    torch.manual_seed(223)
    net = ValueNet(3, 2)
    batches = [(torch.randn(6, 3), 3 * torch.randn(6, 2) + 1) for _ in range(3)]
    epoch(net, batches).backward()
    return {"var": torch.tensor(net.rms.var), **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
