import torch
import torch.nn as nn
import torch.nn.functional as F

IMAGENET_MEAN = [0.485, 0.456, 0.406]
IMAGENET_STD = [0.229, 0.224, 0.225]


def denormalize(tensor, mean=IMAGENET_MEAN, std=IMAGENET_STD):
    if tensor.ndim != 3:
        raise TypeError("expected a (C, H, W) image")
    channels = [channel * s + m for channel, s, m in zip(tensor, std, mean)]
    return torch.stack(channels)


def total_variation(img):
    dx = (img[:, :, 1:] - img[:, :, :-1]).abs().mean()
    dy = (img[:, 1:, :] - img[:, :-1, :]).abs().mean()
    return dx + dy


class FeatureInverter:
    """Reconstructs an image whose features match those of a reference."""

    def __init__(self, backbone, layer, weight=0.1):
        self.backbone = backbone[: layer + 1]
        self.weight = weight
        for p in self.backbone.parameters():
            p.requires_grad_(False)

    def objective(self, guess, reference):
        match = F.mse_loss(self.backbone(guess.unsqueeze(0)), self.backbone(reference.unsqueeze(0)))
        return match + self.weight * total_variation(denormalize(guess))

    def gradient(self, guess, reference):
        guess = guess.detach().requires_grad_()
        self.objective(guess, reference).backward()
        return guess.grad


def main():
    torch.manual_seed(0)
    backbone = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(), nn.Conv2d(4, 4, 3, padding=1), nn.ReLU())
    inverter = FeatureInverter(backbone, layer=2)
    grad = inverter.gradient(torch.randn(3, 6, 6), torch.randn(3, 6, 6))
    return {"grad": grad}


if __name__ == "__main__":
    main()
