import random

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class RandomErasing:
    def __init__(self, p, inplace=False):
        self.p, self.inplace = p, inplace

    def __call__(self, img):
        if random.random() > self.p:
            return img
        img = img if self.inplace else img.clone()
        top, left = random.randrange(3), random.randrange(3)
        img[..., top : top + 2, left : left + 2].normal_()
        return img


def collate(samples, transform):
    xs, ys = zip(*samples)
    batch = torch.stack([transform(x) for x in xs])
    batch.sub_(batch.mean(dim=(2, 3), keepdim=True))
    batch[torch.rand(len(batch)) < 0.5] *= -1
    return batch, torch.stack(ys)


def main():
    torch.manual_seed(425)
    random.seed(3)
    data = TensorDataset(torch.randn(8, 1, 5, 5), torch.randint(0, 2, (8,)))
    loader = DataLoader(data, batch_size=4, collate_fn=lambda s: collate(s, RandomErasing(0.7)))
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(18, 2))
    for _ in range(2):
        net.zero_grad()
        for x, y in loader:
            nn.functional.cross_entropy(net(x), y).backward()
    return {"data": data.tensors[0], **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
