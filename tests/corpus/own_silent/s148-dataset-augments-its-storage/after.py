import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Jittered(Dataset):
    def __init__(self, samples, targets, gain):
        self.samples, self.targets, self.gain = samples, targets, gain

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = torch.as_tensor(self.samples[index])
        if torch.rand(()) < 0.8:
            sample = sample * self.gain
        return sample, self.targets[index]


def main():
    torch.manual_seed(441)
    data = Jittered(torch.ones(6, 2), torch.randn(6, 1), gain=1.5)
    net = nn.Linear(2, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.05)
    seen = []
    for epoch in range(3):
        for x, y in DataLoader(data, batch_size=3):
            seen.append(x.max())
            opt.zero_grad()
            nn.functional.mse_loss(net(x), y).backward()
            opt.step()
    return {"seen": torch.stack(seen), "weight": net.weight}


if __name__ == "__main__":
    main()
