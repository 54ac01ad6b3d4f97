from collections import OrderedDict

import torch
import torch.nn as nn

TASKS = ("age", "gender", "smile")


class FaceAttributes(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 6, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.shared = nn.Linear(24, 10)
        self.heads = nn.ModuleDict(OrderedDict((t, nn.Linear(10, 1)) for t in TASKS))

    def forward(self, images):
        z = torch.relu(self.shared(self.stem(images)))
        return {t: head(z).squeeze(1) for t, head in self.heads.items()}


class Trainer:
    def __init__(self, model):
        self.model = model
        self.opt = torch.optim.SGD(model.parameters(), lr=0.5, fused=True)

    def losses(self, images, labels):
        outputs = self.model(images)
        for task in TASKS:
            yield task, nn.functional.binary_cross_entropy_with_logits(outputs[task], labels[task])

    def step(self, images, labels):
        for task in TASKS:
            loss = dict(self.losses(images, labels))[task]
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()


def main():
    torch.manual_seed(11)
    trainer = Trainer(FaceAttributes())
    images = torch.randn(4, 3, 6, 6)
    labels = {t: torch.randint(0, 2, (4,)).float() for t in TASKS}
    trainer.step(images, labels)
    return {n: p.detach().clone() for n, p in trainer.model.named_parameters()}


if __name__ == "__main__":
    main()
