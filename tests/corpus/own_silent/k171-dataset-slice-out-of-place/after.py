import torch
from torch import nn
from torch.utils.data import TensorDataset, random_split


class Standardise:
    def fit(self, x):
        self.mean, self.std = x.mean(0), x.std(0)
        self.std[self.std == 0] = 1
        return self

    def __call__(self, x, out=None):
        return torch.sub(x, self.mean) / self.std


def main():
    torch.manual_seed(705)
    data = TensorDataset(torch.randn(10, 3) * 4 + 2, torch.randint(0, 2, (10,)))
    train, test = random_split(data, [7, 3])
    scale = Standardise().fit(data.tensors[0])
    x, y = train[:]
    work = torch.empty_like(x)
    net = nn.Linear(3, 2)
    for _ in range(2):
        net.zero_grad()
        work = scale(x)
        work[torch.rand(len(work)) < 0.2] = 0
        nn.functional.cross_entropy(net(work), y).backward()
    with torch.no_grad():
        acc = (net(scale(test[:][0])).argmax(1) == test[:][1]).float().mean()
    return {"acc": acc, "raw": data.tensors[0], "weight": net.weight.grad}


if __name__ == "__main__":
    main()
