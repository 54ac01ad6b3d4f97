import torch
from torch import nn


class NoisyLabels:
    def __init__(self, rate, classes):
        self.rate, self.classes = rate, classes

    def corrupt(self, labels):
        noisy = torch.asarray(labels)
        flip = torch.rand(noisy.shape) < self.rate
        noisy[flip] = (noisy[flip] + 1) % self.classes
        return noisy


def main():
    torch.manual_seed(801)
    net, noise = nn.Linear(3, 3), NoisyLabels(0.5, 3)
    x, labels = torch.randn(10, 3), torch.randint(0, 3, (10,))
    logits = net(x)
    loss = nn.functional.cross_entropy(logits, noise.corrupt(labels))
    clean = nn.functional.cross_entropy(logits, labels)
    (loss + 0.5 * clean).backward()
    return {"clean": clean, "weight": net.weight.grad}


if __name__ == "__main__":
    main()
