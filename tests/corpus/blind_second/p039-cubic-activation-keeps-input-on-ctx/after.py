import torch
import torch.nn as nn


class Cubic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3

    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return grad * 3 * x ** 2


class ParserLayer(nn.Module):
    """Chen-Manning style transition scorer with residual features."""

    def __init__(self, dim, hidden):
        super().__init__()
        self.word, self.tag = nn.Linear(dim, hidden), nn.Linear(dim, hidden)
        self.skip = nn.Linear(hidden, hidden)

    def forward(self, words, tags):
        h = self.word(words)
        scores = Cubic.apply(h)
        h = h + self.tag(tags)
        return scores + self.skip(h)


class TransitionParser(nn.Module):
    def __init__(self, words, tags, dim, moves):
        super().__init__()
        self.words, self.tags = nn.Embedding(words, dim), nn.Embedding(tags, dim)
        self.layer, self.out = ParserLayer(dim, 6), nn.Linear(6, moves)

    def forward(self, w, t):
        return self.out(self.layer(self.words(w).mean(1), self.tags(t).mean(1)))


def main():
    torch.manual_seed(121)
    net = TransitionParser(20, 6, 5, 3)
    w, t = torch.randint(0, 20, (4, 3)), torch.randint(0, 6, (4, 3))
    nn.functional.cross_entropy(net(w, t), torch.tensor([0, 2, 1, 0])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
