import torch
from torch import nn


class MyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, inp):
        ctx.save_for_backward(inp)
        return inp.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        inp, = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[inp < 0] = 0
        return grad_input


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, alpha):
        ctx.alpha = alpha
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg().mul_(ctx.alpha), None


def main():
    torch.manual_seed(385)
    fc, cls, dom = nn.Linear(4, 5), nn.Linear(5, 3), nn.Linear(5, 2)
    x, y, d = torch.randn(6, 4), torch.randint(0, 3, (6,)), torch.randint(0, 2, (6,))
    h = MyReLU.apply(fc(x))
    loss = nn.functional.cross_entropy(cls(h), y)
    loss += nn.functional.cross_entropy(dom(Reverse.apply(h, 0.4)), d)
    loss.backward()
    return {"fc": fc.weight.grad, "cls": cls.weight.grad, "dom": dom.weight.grad}


if __name__ == "__main__":
    main()
