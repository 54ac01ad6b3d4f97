import torch
import torch.nn as nn


class HandSGD:
    def __init__(self, params, lr, momentum=0.9):
        self.params = list(params)
        self.lr, self.momentum = lr, momentum
        self.vel = [torch.zeros_like(p) for p in self.params]

    @torch.no_grad()
    def apply(self):
        for p, v in zip(self.params, self.vel):
            if p.grad is None:
                continue
            v.mul_(self.momentum).add_(p.grad)
            p.add_(v, alpha=-self.lr)

    def clear(self):
        for p in self.params:
            p.grad = None


class MultiTask(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(5, 12), nn.ReLU(), nn.Linear(12, 8), nn.ReLU())
        self.depth, self.seg = nn.Linear(8, 1), nn.Linear(8, 3)

    def forward(self, x):
        f = self.trunk(x)
        return self.depth(f).squeeze(-1), self.seg(f)


def main():
    torch.manual_seed(52)
    net = MultiTask()
    opt = HandSGD(net.parameters(), lr=0.05)
    for _ in range(2):
        x, d, s = torch.randn(8, 5), torch.randn(8), torch.randint(0, 3, (8,))
        depth, seg = net(x)
        opt.clear()
        nn.functional.smooth_l1_loss(depth, d).backward(retain_graph=True)
        nn.functional.cross_entropy(seg, s).backward()
        opt.apply()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
