import torch
import torch.nn as nn
import torch.nn.functional as F


def gram(feat):
    b, c, h, w = feat.shape
    flat = feat.view(b * c, h * w)
    return flat @ flat.t() / flat.numel()


class StyleLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = gram(target).detach()

    def forward(self, feat):
        self.loss = F.mse_loss(gram(feat), self.target)
        return feat


class Painter:
    def __init__(self, extractor, style, size):
        self.extractor = extractor.requires_grad_(False)
        with torch.no_grad():
            self.probe = StyleLoss(extractor(style))
        self.canvas = torch.randn(size).requires_grad_(True)

    def total_variation(self):
        d = self.canvas[..., 1:] - self.canvas[..., :-1]
        return (d * self.canvas[..., 1:]).pow(2).mean()

    def step(self, opt):
        opt.zero_grad()
        self.probe(self.extractor(self.canvas))
        loss = self.probe.loss * 50 + self.total_variation()
        loss.backward()
        opt.step()
        self.canvas.data.clamp_(0, 1)
        return loss.detach()


def main():
    torch.manual_seed(9)
    net = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 4, 3, padding=1))
    painter = Painter(net, torch.rand(1, 3, 8, 8), (1, 3, 8, 8))
    opt = torch.optim.Adam([painter.canvas], lr=0.05)
    painter.step(opt)
    return {"grad": painter.canvas.grad.clone()}


if __name__ == "__main__":
    main()
