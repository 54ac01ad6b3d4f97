import torch
from torch import nn


class SwishImplementation(torch.autograd.Function):
    @staticmethod
    def forward(ctx, i):
        result = i * torch.sigmoid(i)
        ctx.save_for_backward(i)
        return result

    @staticmethod
    def backward(ctx, grad_output):
        i = ctx.saved_tensors[0]
        sigmoid_i = torch.sigmoid(i)
        return grad_output * (sigmoid_i * (1 + i * (1 - sigmoid_i)))


class MemoryEfficientSwish(nn.Module):
    def forward(self, x):
        return SwishImplementation.apply(x)


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class PreActBlock(nn.Module):
    def __init__(self, ch, expand=2):
        super().__init__()
        self._expand_conv = nn.Conv2d(ch, ch * expand, 1, bias=False)
        self._depthwise_conv = nn.Conv2d(ch * expand, ch * expand, 3, padding=1, groups=ch * expand, bias=False)
        self._bn = nn.BatchNorm2d(ch * expand)
        self._project_conv = nn.Conv2d(ch * expand, ch, 1, bias=False)
        self._swish = MemoryEfficientSwish()

    def set_swish(self, memory_efficient=True):
        self._swish = MemoryEfficientSwish() if memory_efficient else Swish()

    def forward(self, inputs):
        x = self._swish(inputs)
        x = self._bn(self._depthwise_conv(self._expand_conv(x)))
        x = self._project_conv(self._swish(x))
        return inputs + x


class EdgeNet(nn.Module):
    def __init__(self, depth=2):
        super().__init__()
        self.stem = nn.Conv2d(1, 3, 3, stride=2, padding=1)
        self.blocks = nn.ModuleList(PreActBlock(3) for _ in range(depth))
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.fc(x.mean((2, 3)))


def main():
    torch.manual_seed(0)
    net = EdgeNet()
    nn.functional.cross_entropy(net(torch.rand(3, 1, 8, 8)), torch.tensor([0, 1, 1])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
