import torch
from torch import nn


def weight_change(layer, reference):
    return torch.linalg.norm(layer.weight.data - reference) / torch.linalg.norm(reference)


def train(net, steps, lr):
    opt = torch.optim.RMSprop(net.parameters(), lr=lr)
    for _ in range(steps):
        opt.zero_grad()
        net(torch.randn(5, 3)).square().mean().backward()
        opt.step()


def main():
    torch.manual_seed(711)
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    before = {i: net[i].weight.data for i in (0, 2)}
    train(net, 4, 0.05)
    return {f"layer{i}": weight_change(net[i], w) for i, w in before.items()}


if __name__ == "__main__":
    main()
