import torch
from torch import nn
from torch.autograd import Function


class ProjectNonNegative(Function):
    """Clamps in place and passes the gradient straight through."""

    @staticmethod
    def forward(ctx, w):
        ctx.mark_dirty(w)
        return w.clamp_(min=0)

    @staticmethod
    def backward(ctx, grad):
        return grad


project_ = ProjectNonNegative.apply


class MonotoneLayer(nn.Module):
    def __init__(self, fan_in, fan_out, monotone=True):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(fan_out, fan_in) * 0.5)
        self.bias = nn.Parameter(torch.zeros(fan_out))
        self.monotone = monotone

    def effective_weight(self):
        if not self.monotone:
            return self.weight
        return project_(self.weight.clone())

    def forward(self, x):
        return nn.functional.linear(x, self.effective_weight(), self.bias)


class CalibratedScorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.free = MonotoneLayer(3, 4, monotone=False)
        self.mono1 = MonotoneLayer(2, 4)
        self.mono2 = MonotoneLayer(8, 1)

    def forward(self, free, ordered):
        h = torch.cat([torch.tanh(self.free(free)), torch.tanh(self.mono1(ordered))], dim=1)
        return self.mono2(h).squeeze(1)


def pairwise_logistic(scores, labels):
    diff = scores.unsqueeze(0) - scores.unsqueeze(1)
    order = (labels.unsqueeze(0) > labels.unsqueeze(1)).float()
    return (nn.functional.softplus(-diff) * order).sum() / order.sum()


def main():
    torch.manual_seed(0)
    net = CalibratedScorer()
    scores = net(torch.randn(5, 3), torch.rand(5, 2))
    pairwise_logistic(scores, torch.arange(5.0)).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
