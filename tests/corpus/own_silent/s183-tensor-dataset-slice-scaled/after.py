import torch
from torch import nn
from torch.utils.data import TensorDataset


def epochs(dataset, count, batch):
    for epoch in range(count):
        for lo in range(0, len(dataset), batch):
            x, y = dataset[lo : lo + batch]
            yield epoch, x.div(255).sub(0.5), y


def main():
    torch.manual_seed(791)
    pixels = torch.randint(0, 256, (6, 4)).float()
    data = TensorDataset(pixels, torch.randint(0, 2, (6,)))
    net = nn.Linear(4, 2)
    opt = torch.optim.Adagrad(net.parameters(), lr=0.1)
    means = []
    for epoch, x, y in epochs(data, 2, 3):
        means.append(x.mean())
        opt.zero_grad()
        nn.functional.cross_entropy(net(x), y).backward()
        opt.step()
    return {"means": torch.stack(means), "weight": net.weight}


if __name__ == "__main__":
    main()
