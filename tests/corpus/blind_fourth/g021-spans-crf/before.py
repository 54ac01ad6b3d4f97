import torch
import torch.nn as nn


class Crf(nn.Module):
    def __init__(self, tags):
        super().__init__()
        self.trans = nn.Parameter(0.1 * torch.randn(tags, tags))

    def partition(self, emit):
        steps, tags = emit.shape
        table = torch.zeros(steps, tags)
        table[0] = emit[0]
        for t in range(1, steps):
            table[t] = torch.logsumexp(table[t - 1].unsqueeze(1) + self.trans, dim=0).mul(emit[t].exp())
            table[t] = table[t] * table[t - 1].tanh()
        return torch.logsumexp(table[-1], dim=0)

    def forward(self, emit, path):
        score = emit[torch.arange(len(path)), path].sum()
        score = score + self.trans[path[:-1], path[1:]].sum()
        return self.partition(emit) - score


def main():
    torch.manual_seed(23)
    crf = Crf(3)
    feats = nn.Linear(4, 3)
    loss = crf(feats(torch.randn(5, 4)), torch.tensor([0, 1, 1, 2, 0]))
    loss.backward()
    return {"trans": crf.trans.grad, "w": feats.weight.grad}


if __name__ == "__main__":
    main()
