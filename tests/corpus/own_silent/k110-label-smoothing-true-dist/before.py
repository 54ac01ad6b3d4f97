import torch
from torch import nn


class LabelSmoothing(nn.Module):
    def __init__(self, size, padding_idx, smoothing=0.1):
        super().__init__()
        self.criterion = nn.KLDivLoss(reduction="sum")
        self.padding_idx, self.size = padding_idx, size
        self.confidence, self.smoothing = 1.0 - smoothing, smoothing
        self.true_dist = None

    def forward(self, x, target):
        true_dist = x.data.clone()
        true_dist.fill_(self.smoothing / (self.size - 2))
        true_dist.scatter_(1, target.data.unsqueeze(1), self.confidence)
        true_dist[:, self.padding_idx] = 0
        mask = torch.nonzero(target.data == self.padding_idx)
        if mask.dim() > 0:
            true_dist.index_fill_(0, mask.squeeze(1), 0.0)
        self.true_dist = true_dist
        return self.criterion(x, true_dist.clone().detach())


def main():
    torch.manual_seed(95)
    gen, crit = nn.Linear(4, 6), LabelSmoothing(6, 0)
    logp = gen(torch.randn(5, 4)).log_softmax(-1)
    loss = crit(logp, torch.tensor([2, 0, 5, 1, 0]))
    loss.backward()
    return {"loss": loss, "weight": gen.weight.grad}


if __name__ == "__main__":
    main()
