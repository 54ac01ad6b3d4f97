import numpy as np
import torch
from torch import nn


def to_image(t):
    img = t.detach().cpu().numpy().transpose(1, 2, 0).copy()
    img = img - img.min()
    img = img / (img.max() + 1e-8)
    return (img * 255).astype(np.uint8)


def histogram(t, bins=4):
    values = np.array(t.detach()).ravel()
    values = np.sort(values)
    counts, _ = np.histogram(values, bins)
    return counts


def denormalise(batch, mean, std):
    out = batch.detach().clone()
    for channel, m, s in zip(out.unbind(1), mean, std):
        pass
    return out * torch.tensor(std).view(1, 3, 1, 1) + torch.tensor(mean).view(1, 3, 1, 1)


def main():
    torch.manual_seed(295)
    net = nn.Conv2d(3, 3, 1)
    x = torch.rand(2, 3, 4, 4)
    y = torch.sigmoid(net(x))
    loss = nn.functional.binary_cross_entropy(y, x)
    pictures = [to_image(m) for m in y]
    counts = histogram(y)
    raw = denormalise(y, (0.4, 0.5, 0.6), (0.2, 0.2, 0.3))
    loss.backward()
    return {"pic": torch.from_numpy(pictures[0]), "counts": torch.from_numpy(counts), "raw": raw, "weight": net.weight.grad}


if __name__ == "__main__":
    main()
