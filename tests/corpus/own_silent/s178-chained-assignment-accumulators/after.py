import torch
from torch import nn


def class_means(features, labels):
    """Mean feature of the positives and of the negatives."""
    pos, neg = (torch.zeros(features.size(1)) for _ in range(2))
    n_pos = n_neg = 0
    for f, positive in zip(features, labels.tolist()):
        if positive:
            pos += f
            n_pos += 1
        else:
            neg += f
            n_neg += 1
    return pos / n_pos, neg / n_neg


def main():
    torch.manual_seed(741)
    net = nn.Linear(3, 2)
    labels = torch.tensor([1, 0, 0, 1, 0])
    pos, neg = class_means(net(torch.randn(5, 3)), labels)
    (1 - (pos - neg).norm()).clamp(min=0).add(pos.square().sum()).backward()
    return {"pos": pos, "neg": neg, "weight": net.weight.grad}


if __name__ == "__main__":
    main()
