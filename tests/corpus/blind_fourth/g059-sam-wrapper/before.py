import torch
import torch.nn as nn


class Ascent:
    def __init__(self, params, rho):
        self.params, self.rho = list(params), rho

    def climb(self):
        norm = torch.stack([p.grad.norm() for p in self.params]).norm()
        self.moves = [self.rho * p.grad / norm for p in self.params]
        for p, e in zip(self.params, self.moves):
            p.data.add_(e)

    def descend(self):
        for p, e in zip(self.params, self.moves):
            p.data.sub_(e)


def train_step(net, sharp, opt, x, y, mix=0.5):
    opt.zero_grad()
    clean = nn.functional.cross_entropy(net(x), y)
    clean.backward(retain_graph=True)
    sharp.climb()
    opt.zero_grad()
    worst = nn.functional.cross_entropy(net(x), y)
    (mix * clean + (1 - mix) * worst).backward()
    sharp.descend()
    opt.step()


def main():
    torch.manual_seed(68)
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    sharp = Ascent(net.parameters(), 0.5)
    for _ in range(2):
        train_step(net, sharp, opt, torch.randn(10, 3), torch.randint(0, 2, (10,)))
    return {n: p.detach() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
