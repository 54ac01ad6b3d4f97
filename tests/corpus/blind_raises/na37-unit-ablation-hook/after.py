from collections import defaultdict

import torch
from torch import nn


class UnitAblation:
    def __init__(self, model, units):
        self.model = model
        self.units = units
        self.handles = []
        self.stats = defaultdict(list)

    def _hook(self, name, units):
        def zero_units(module, inputs, output):
            self.stats[name].append(output.detach().abs().mean().item())
            output = output.clone()
            output[:, units] = 0
            return output

        return zero_units

    def __enter__(self):
        modules = dict(self.model.named_modules())
        for name, units in self.units.items():
            self.handles.append(modules[name].register_forward_hook(self._hook(name, units)))
        return self

    def __exit__(self, *exc):
        while self.handles:
            self.handles.pop().remove()


class SmallVGG(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.stem = nn.Conv2d(1, 4, 3, padding=1)
        self.act1 = nn.ReLU()
        self.pool = nn.AvgPool2d(2)
        self.conv = nn.Conv2d(4, 6, 3, padding=1)
        self.act2 = nn.Sigmoid()
        self.fc = nn.Linear(6, classes)

    def forward(self, x):
        x = self.pool(self.act1(self.stem(x)))
        x = self.act2(self.conv(x))
        return self.fc(x.mean(dim=(2, 3)))


def saliency(model, image, target):
    image = image.clone().requires_grad_(True)
    score = model(image)[:, target].sum()
    score.backward()
    return image.grad


def main():
    torch.manual_seed(0)
    model, image = SmallVGG(), torch.rand(2, 1, 6, 6)
    with UnitAblation(model, {"act2": [1, 4]}) as ablation:
        grad = saliency(model, image, target=1)
    return {"saliency": grad, "mean": torch.tensor(ablation.stats["act2"])}


if __name__ == "__main__":
    main()
