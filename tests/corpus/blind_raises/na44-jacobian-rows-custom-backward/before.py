import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class SoftThreshold(Function):
    @staticmethod
    def forward(ctx, x, lam):
        keep = (x.abs() > lam).to(x.dtype)
        ctx.save_for_backward(keep, x.sign())
        return (x - lam * x.sign()) * keep

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        keep, sign = ctx.saved_tensors
        grad_x = keep.mul_(grad)
        return grad_x, -(grad_x * sign).sum()


def shrink(x, lam):
    return SoftThreshold.apply(x, lam)


class ISTANet(nn.Module):
    def __init__(self, dictionary, layers=2):
        super().__init__()
        self.w = nn.Linear(dictionary.shape[0], dictionary.shape[1], bias=False)
        self.s = nn.Linear(dictionary.shape[1], dictionary.shape[1], bias=False)
        self.lam = nn.Parameter(torch.tensor(0.05))
        self.layers = layers

    def forward(self, y):
        drive = self.w(y)
        z = shrink(drive, self.lam)
        for _ in range(self.layers - 1):
            z = shrink(drive + self.s(z), self.lam)
        return z


def jacobian(fn, x):
    x = x.detach().requires_grad_(True)
    out = fn(x)
    rows = [torch.autograd.grad(o, x, retain_graph=True)[0] for o in out.unbind()]
    return torch.stack(rows)


def effective_rank(jac):
    s = torch.linalg.svdvals(jac)
    p = s / s.sum()
    return torch.exp(-(p * (p + 1e-12).log()).sum())


def main():
    torch.manual_seed(0)
    net = ISTANet(torch.randn(4, 3))
    jac = jacobian(net, torch.randn(4))
    return {"jacobian": jac, "rank": effective_rank(jac)}


if __name__ == "__main__":
    main()
