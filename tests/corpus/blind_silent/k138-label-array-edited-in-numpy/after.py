import numpy as np
import torch
import torch.nn as nn


class NoisyLabels:
    def __init__(self, flip: float, classes: int, seed: int):
        self.flip, self.classes = flip, classes
        self.rng = np.random.default_rng(seed)

    def sample(self, n):
        return torch.from_numpy(self.rng.integers(0, self.classes, n))


def train_step(net, source, x, lr):
    y = source.sample(len(x))
    raw = y.numpy()
    hit = source.rng.random(len(raw)) < source.flip
    y = torch.tensor(np.where(hit, (raw + 1) % source.classes, raw))
    soft = nn.functional.one_hot(y, source.classes) * 0.9 + 0.1 / source.classes
    loss = -(soft * net(x).log_softmax(1)).sum(1).mean()
    grads = torch.autograd.grad(loss, list(net.parameters()))
    for p, g in zip(net.parameters(), grads):
        p.data = p - lr * g
    return loss.detach()


def main():
    torch.manual_seed(353)
    net = nn.Sequential(nn.Linear(4, 6), nn.Softplus(), nn.Linear(6, 3))
    source = NoisyLabels(0.3, 3, seed=6)
    losses = [train_step(net, source, torch.randn(8, 4), lr=0.2) for _ in range(3)]
    return {"loss": torch.stack(losses), **{n: p.detach().clone() for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
