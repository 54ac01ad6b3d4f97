import torch
import torch.nn as nn
from torch.func import functional_call, grad, vmap


class DPTrainer:
    def __init__(self, net, clip=0.3, sigma=0.5, seed=1):
        self.net, self.clip, self.sigma = net, clip, sigma
        self.gen = torch.Generator().manual_seed(seed)

    def sample_grads(self, x, y):
        params = {n: p.detach() for n, p in self.net.named_parameters()}

        def one(p, xi, yi):
            out = functional_call(self.net, p, (xi.unsqueeze(0),))
            return nn.functional.cross_entropy(out, yi.unsqueeze(0))

        return vmap(grad(one), in_dims=(None, 0, 0))(params, x, y)

    def set_grads(self, x, y):
        g = self.sample_grads(x, y)
        norms = torch.stack([v.flatten(1).norm(dim=1) for v in g.values()]).norm(dim=0)
        coef = (self.clip / (norms + 1e-6)).clamp_(max=1.0)
        for name, p in self.net.named_parameters():
            v = g[name]
            v.mul_(coef.view(-1, *[1] * (v.dim() - 1)))
            total = v.sum(0)
            total.add_(torch.randn(p.shape, generator=self.gen), alpha=self.sigma * self.clip)
            p.grad = total.div_(len(x))


def main():
    torch.manual_seed(215)
    net = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 3))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    tr = DPTrainer(net)
    for _ in range(2):
        tr.set_grads(torch.randn(10, 5), torch.randint(0, 3, (10,)))
        opt.step()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
