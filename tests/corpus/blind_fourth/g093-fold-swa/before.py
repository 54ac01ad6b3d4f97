import copy
import torch
import torch.nn as nn


class Swa:
    def __init__(self, model):
        self.avg = copy.deepcopy(model)
        self.n = 0

    @torch.no_grad()
    def absorb(self, model):
        self.n += 1
        for a, p in zip(self.avg.parameters(), model.parameters()):
            a.add_((p - a) / self.n)

    def swap(self, model):
        with torch.no_grad():
            for a, p in zip(self.avg.parameters(), model.parameters()):
                keep = p.clone()
                p.copy_(a)
                a.copy_(keep)


def main():
    torch.manual_seed(104)
    net = nn.Linear(3, 1)
    swa, opt = Swa(net), torch.optim.SGD(net.parameters(), lr=0.2)
    for x in torch.randn(4, 5, 3):
        opt.zero_grad()
        (net(x) - x.mean(1, keepdim=True)).square().mean().backward()
        opt.step()
        swa.absorb(net)
    swa.swap(net)
    opt.zero_grad()
    net(torch.ones(2, 3)).sum().backward()
    return {"w": net.weight.detach(), "live": swa.avg.weight.detach(), "g": net.weight.grad}


if __name__ == "__main__":
    main()
