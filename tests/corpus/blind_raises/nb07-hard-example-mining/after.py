import torch
from torch import nn
import torch.nn.functional as F


class OhemCrossEntropy(nn.Module):
    def __init__(self, keep=0.4, ignore=255, class_weight=None):
        super().__init__()
        self.keep, self.ignore = keep, ignore
        self.register_buffer("class_weight", class_weight)

    def forward(self, logits, target):
        loss = F.cross_entropy(logits, target, ignore_index=self.ignore, reduction="none").flatten()
        if self.class_weight is not None:
            loss = loss * self.class_weight[target.clamp(max=len(self.class_weight) - 1)].flatten()
        valid = target.flatten() != self.ignore
        k = max(1, int(self.keep * int(valid.sum())))
        threshold = loss.detach()[valid].topk(k).values[-1]
        loss = loss.masked_fill(loss.detach() < threshold, 0.0)
        return loss.sum() / k


class SegHead(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.down = nn.Conv2d(3, 6, 3, stride=2, padding=1)
        self.body = nn.Conv2d(6, 6, 3, padding=2, dilation=2)
        self.classifier = nn.Conv2d(6, classes, 1)
        self.aux = nn.Conv2d(6, classes, 1)

    def forward(self, x):
        size = x.shape[-2:]
        low = F.gelu(self.down(x))
        high = F.gelu(self.body(low))
        return {
            name: F.interpolate(head(f), size, mode="bilinear", align_corners=False)
            for name, head, f in (("out", self.classifier, high), ("aux", self.aux, low))
        }


def combined_loss(outputs, target, criterion, aux_weight=0.4):
    losses = {name: criterion(o, target) for name, o in outputs.items()}
    return losses["out"] + aux_weight * losses["aux"]


def main():
    torch.manual_seed(0)
    net = SegHead(3)
    criterion = OhemCrossEntropy(class_weight=torch.tensor([0.5, 1.0, 2.0]))
    target = torch.randint(0, 3, (2, 6, 6))
    target[:, 0] = 255
    combined_loss(net(torch.rand(2, 3, 6, 6)), target, criterion).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
