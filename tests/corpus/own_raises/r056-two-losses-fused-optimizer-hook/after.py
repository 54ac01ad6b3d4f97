import torch
from torch import nn


def fuse_sgd(model, lr):
    @torch.no_grad()
    def step(param):
        param.add_(param.grad, alpha=-lr)
        param.grad = None

    for p in model.parameters():
        p.register_post_accumulate_grad_hook(step)


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 6), nn.Tanh())
        self.cls, self.reg = nn.Linear(6, 3), nn.Linear(6, 1)

    def forward(self, x):
        z = self.body(x)
        return self.cls(z), self.reg(z)


def main():
    torch.manual_seed(65)
    net = TwoHeads()
    fuse_sgd(net, lr=0.05)
    x = torch.randn(8, 4)
    scores, value = net(x)
    cls_loss = nn.functional.cross_entropy(scores, torch.randint(0, 3, (8,)))
    reg_loss = value.sub(x.mean(1, keepdim=True)).square().mean()
    (cls_loss + reg_loss).backward()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
