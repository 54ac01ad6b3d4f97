import torch
import torch.nn as nn


class Decoder:
    def __init__(self, anchors, stride):
        self.anchors = torch.tensor(anchors)
        self.stride = stride

    def grid(self, h, w):
        ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
        return torch.stack([xs, ys], -1).float()[None, None]

    def __call__(self, raw):
        b, _, h, w = raw.shape
        y = raw.view(b, len(self.anchors), -1, h, w).permute(0, 1, 3, 4, 2).sigmoid()
        xy = (y[..., 0:2] * 2 - 0.5 + self.grid(h, w)) * self.stride
        wh = (y[..., 2:4] * 2) ** 2 * self.anchors[None, :, None, None]
        return torch.cat([xy, wh, y[..., 4:]], -1).flatten(1, 3)


def main():
    torch.manual_seed(93)
    head = nn.Conv2d(3, 2 * 6, 1)
    boxes = Decoder([[1.0, 2.0], [2.0, 1.0]], 4)(head(torch.randn(1, 3, 2, 2)))
    loss = (boxes[..., :4] - 3).abs().mean() + nn.functional.binary_cross_entropy(boxes[..., 4:], torch.ones_like(boxes[..., 4:]))
    loss.backward()
    return {"w": head.weight.grad}


if __name__ == "__main__":
    main()
