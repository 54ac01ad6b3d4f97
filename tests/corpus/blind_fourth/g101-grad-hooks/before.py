import torch
import torch.nn as nn


def reverse(strength):
    def hook(g):
        g = g.clone()
        g.mul_(-strength)
        return g
    return hook


def layer_decay(rate):
    def hook(p):
        p.grad.mul_(rate)
    return hook


class Domain(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(n, 8), nn.Tanh())
        self.label, self.domain = nn.Linear(8, 2), nn.Linear(8, 2)
        for i, p in enumerate(self.feat.parameters()):
            p.register_post_accumulate_grad_hook(layer_decay(0.5 ** (i + 1)))

    def forward(self, x):
        z = self.feat(x)
        branch = z * 1
        branch.register_hook(reverse(0.3))
        return self.label(z), self.domain(branch)


def main():
    torch.manual_seed(111)
    net = Domain(3)
    y, d = net(torch.randn(8, 3))
    ce = nn.functional.cross_entropy
    (ce(y, torch.arange(8) % 2) + ce(d, torch.arange(8) // 4)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
