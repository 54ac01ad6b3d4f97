import torch
from torch import nn


class SAM(torch.optim.Optimizer):
    def __init__(self, params, base, rho=0.05, **kwargs):
        super().__init__(params, dict(rho=rho, **kwargs))
        self.base = base(self.param_groups, **kwargs)

    def grad_norm(self):
        norms = [p.grad.norm() for g in self.param_groups for p in g["params"] if p.grad is not None]
        return torch.stack(norms).norm()

    @torch.no_grad()
    def first_step(self):
        scale = self.param_groups[0]["rho"] / (self.grad_norm() + 1e-12)
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                e_w = p.grad * scale
                p.add_(e_w)
                self.state[p]["e_w"] = e_w

    @torch.no_grad()
    def second_step(self):
        for group in self.param_groups:
            for p in group["params"]:
                if "e_w" in self.state[p]:
                    p.sub_(self.state[p]["e_w"])
        self.base.step()


def sharpness_step(model, opt, x, y, criterion):
    logits = model(x)
    opt.zero_grad()
    criterion(logits, y).backward(retain_graph=True)
    opt.first_step()
    opt.zero_grad()
    criterion(logits, y).backward()
    opt.second_step()
    return logits.detach()


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Conv1d(2, 4, 3), nn.ELU(), nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(4, 3))
    opt = SAM(model.parameters(), torch.optim.SGD, lr=0.1)
    x, y = torch.randn(4, 2, 9), torch.tensor([0, 2, 1, 1])
    sharpness_step(model, opt, x, y, nn.CrossEntropyLoss())
    return {n: p.detach() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
