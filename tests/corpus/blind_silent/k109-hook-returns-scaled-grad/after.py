from typing import List

import torch
import torch.nn as nn


class GradientReverser:
    def __init__(self, strength: float):
        self.strength = strength
        self.seen: List[torch.Tensor] = []

    def __call__(self, grad):
        self.seen.append(grad.detach().clone())
        return (grad * -self.strength).clamp(-0.5, 0.5)

    def watch(self, t):
        view = t.view_as(t)
        view.register_hook(self)
        return view


class DANN(nn.Module):
    def __init__(self):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(4, 6), nn.ReLU())
        self.label, self.domain = nn.Linear(6, 3), nn.Linear(6, 2)
        self.reverse = GradientReverser(0.3)

    def forward(self, x):
        h = self.feat(x)
        return self.label(h), self.domain(self.reverse.watch(h))


def main():
    torch.manual_seed(31)
    net = DANN()
    x, y, d = torch.randn(10, 4), torch.randint(0, 3, (10,)), torch.arange(10) % 2
    lab, dom = net(x)
    (nn.functional.cross_entropy(lab, y) + nn.functional.cross_entropy(dom, d)).backward()
    return {"seen": net.reverse.seen[0], **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
