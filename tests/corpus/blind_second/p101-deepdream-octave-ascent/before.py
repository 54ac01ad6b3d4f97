import torch
import torch.nn as nn
import torch.nn.functional as F


class ActivationTap:
    def __init__(self, layer):
        self.value = None
        self.handle = layer.register_forward_hook(self.store)

    def store(self, module, args, output):
        self.value = output

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.handle.remove()


def octaves(image, count, ratio):
    for i in reversed(range(count)):
        yield F.interpolate(image, scale_factor=ratio ** -i, mode="bilinear")


def dream(model, tap, image, iterations, lr):
    image = image.clone().requires_grad_(True)
    for _ in range(iterations):
        model(image)
        tap.value.norm().backward()
        step = lr / (image.grad.abs().mean() + 1e-8)
        image += step * image.grad
        image.grad.zero_()
    return image.detach()


def main():
    torch.manual_seed(41)
    model = nn.Sequential(nn.Conv2d(3, 5, 3), nn.ReLU(), nn.Conv2d(5, 4, 3), nn.ReLU()).requires_grad_(False)
    outputs = {}
    with ActivationTap(model[2]) as tap:
        for i, octave in enumerate(octaves(torch.rand(1, 3, 16, 16), 2, 1.4)):
            outputs[f"octave{i}"] = dream(model, tap, octave, iterations=2, lr=0.05)
    return outputs


if __name__ == "__main__":
    main()
