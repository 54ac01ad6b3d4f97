import torch
import torch.nn as nn


class Composer(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.content = nn.Embedding(6, n)
        self.style = nn.Embedding(4, n)
        self.out = nn.Linear(n, 1)

    def parts(self, c, s):
        return self.content(c), self.style(s)

    def score(self, c, s):
        return self.out(torch.tanh(c + s)).sum()


def refine(net, c_ids, s_ids, rates=(0.5, 0.1)):
    c, s = (v.detach().requires_grad_() for v in net.parts(c_ids, s_ids))
    grads = torch.autograd.grad(net.score(c, s), (c, s))
    moves = []
    for g, rate in zip(grads, rates):
        moves.append(g.mul(rate))
    return [v.detach() - m for v, m in zip((c, s), moves)]


def main():
    torch.manual_seed(74)
    net = Composer(4)
    ids = torch.tensor([0, 3, 5]), torch.tensor([1, 1, 2])
    c, s = refine(net, *ids)
    net.score(c, s).backward()
    return {"c": c, "s": s, "w": net.out.weight.grad}


if __name__ == "__main__":
    main()
