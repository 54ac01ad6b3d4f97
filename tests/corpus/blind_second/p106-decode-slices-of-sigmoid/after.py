import torch
import torch.nn as nn


def make_grid(h, w):
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    return torch.stack([xs, ys], dim=-1).float()


class DecodingHead(nn.Module):
    def __init__(self, channels, classes, stride, anchor):
        super().__init__()
        self.pred = nn.Conv2d(channels, 5 + classes, 1)
        self.stride = stride
        self.register_buffer("anchor", torch.tensor(anchor))

    def forward(self, feat):
        y = self.pred(feat).permute(0, 2, 3, 1).sigmoid()
        grid = make_grid(*feat.shape[-2:])
        xy = (y[..., 0:2] * 2 - 0.5 + grid) * self.stride
        wh = (y[..., 2:4] * 2) ** 2 * self.anchor
        return torch.cat([xy, wh, y[..., 4:]], dim=-1).flatten(1, 2)


class MarkerDetector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(1, 6, 3, stride=2, padding=1), nn.SiLU())
        self.head = DecodingHead(6, 2, stride=2, anchor=[4.0, 4.0])

    def forward(self, image):
        return self.head(self.backbone(image))


def box_loss(pred, target):
    return nn.functional.smooth_l1_loss(pred[..., :4], target.expand_as(pred[..., :4]))


def main():
    torch.manual_seed(46)
    net = MarkerDetector()
    pred = net(torch.randn(1, 1, 8, 8))
    loss = box_loss(pred, torch.tensor([4.0, 4.0, 3.0, 2.0])) - pred[..., 4].log().mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
