import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.5, **kw):
        super().__init__(params, dict(rho=rho, **kw))
        self.base_optimizer = base(self.param_groups, **kw)

    @torch.no_grad()
    def first_step(self, zero_grad=False):
        norm = torch.norm(torch.stack([p.grad.norm(2) for g in self.param_groups for p in g["params"]]), 2)
        for group in self.param_groups:
            scale = group["rho"] / (norm + 1e-12)
            for p in group["params"]:
                self.state[p]["old_p"] = p.data.clone()
                p.add_(p.grad * scale)
        if zero_grad:
            self.zero_grad()

    @torch.no_grad()
    def second_step(self, zero_grad=False):
        for group in self.param_groups:
            for p in group["params"]:
                p.copy_(self.state[p]["old_p"])
        self.base_optimizer.step()
        if zero_grad:
            self.zero_grad()


def main():
    torch.manual_seed(165)
    net = nn.Sequential(nn.Conv1d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
    opt = SAM(net.parameters(), torch.optim.SGD, lr=0.1)
    for _ in range(2):
        x, y = torch.randn(5, 1, 6), torch.randint(0, 2, (5,))
        nn.functional.cross_entropy(net(x), y).backward()
        opt.first_step(zero_grad=True)
        nn.functional.cross_entropy(net(x), y).backward()
        opt.second_step(zero_grad=True)
    return dict(net.named_parameters())


if __name__ == "__main__":
    main()
