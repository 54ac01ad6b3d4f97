from itertools import product

import torch
from torch import nn


def window_slices(shape, roi, stride):
    axes = [list(range(0, max(s - r, 0) + 1, st)) for s, r, st in zip(shape, roi, stride)]
    return [tuple(slice(a, a + r) for a, r in zip(start, roi)) for start in product(*axes)]


def gaussian_importance(roi, sigma=0.5):
    axes = [torch.exp(-0.5 * (torch.linspace(-1, 1, r) / sigma) ** 2) for r in roi]
    return axes[0].unsqueeze(1) * axes[1].unsqueeze(0)


def sliding_window(image, predictor, roi, stride, batch=2):
    slices = window_slices(image.shape[-2:], roi, stride)
    importance = gaussian_importance(roi)
    output = count = None
    for i in range(0, len(slices), batch):
        group = slices[i : i + batch]
        pred = predictor(torch.cat([image[(..., *s)] for s in group]))
        if output is None:
            output = pred.new_zeros(1, pred.shape[1], *image.shape[-2:])
            count = pred.new_zeros(1, 1, *image.shape[-2:])
        for s, p in zip(group, pred):
            pad = (s[1].start, image.shape[-1] - s[1].stop, s[0].start, image.shape[-2] - s[0].stop)
            output = output + nn.functional.pad(importance * p, pad)
            count = count + nn.functional.pad(importance, pad)
    return output / count


class PatchSegmenter(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.InstanceNorm2d(4), nn.PReLU(), nn.Conv2d(4, classes, 1))

    def forward(self, x):
        return self.net(x)


def soft_dice(logits, target):
    p = logits.softmax(dim=1)[:, 1]
    return 1 - 2 * (p * target).sum() / (p.sum() + target.sum() + 1e-6)


def main():
    torch.manual_seed(0)
    net = PatchSegmenter()
    image, mask = torch.rand(1, 1, 8, 8), (torch.rand(1, 8, 8) > 0.5).float()
    logits = sliding_window(image, net, roi=(4, 4), stride=(2, 4))
    soft_dice(logits, mask).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
