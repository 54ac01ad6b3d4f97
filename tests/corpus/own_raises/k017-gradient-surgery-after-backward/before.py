import torch
from torch import nn


class Trainer:
    def __init__(self, net, wd=0.01, clip=1.0):
        self.net, self.wd, self.clip = net, wd, clip
        self.opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)

    def shape_gradients(self):
        for name, p in self.net.named_parameters():
            if p.grad is None:
                continue
            p.grad.clamp_(-self.clip, self.clip)
            if name.endswith("weight"):
                p.grad.add_(p.detach(), alpha=self.wd)
            else:
                p.grad *= 0.5

    def step(self, x, y):
        self.opt.zero_grad()
        loss = nn.functional.mse_loss(self.net(x), y)
        loss.backward()
        self.shape_gradients()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(16)
    t = Trainer(nn.Sequential(nn.Linear(3, 4), nn.Softsign(), nn.Linear(4, 2)))
    running = torch.zeros(())
    for _ in range(3):
        running += t.step(torch.randn(6, 3), torch.randn(6, 2))
    return {"running": running, **{n: p.grad.clone() for n, p in t.net.named_parameters()}}


if __name__ == "__main__":
    main()
