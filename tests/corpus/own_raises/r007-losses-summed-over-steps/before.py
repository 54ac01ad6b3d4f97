import torch
import torch.nn.functional as F
from torch import nn


class Bilinear(nn.Module):
    def __init__(self, a, b, rank=3):
        super().__init__()
        self.left = nn.Parameter(torch.randn(a, rank) * 0.3)
        self.right = nn.Parameter(torch.randn(rank, b) * 0.3)

    def forward(self, x):
        return x @ self.left @ self.right


def run_epoch(model, loader, opt, reg):
    epoch_loss = 0.0
    for i, (x, y) in enumerate(loader):
        loss = F.huber_loss(model(x), y)
        if i % 2 == 1:
            loss = loss + reg * epoch_loss
        opt.zero_grad(set_to_none=True)
        loss.backward(retain_graph=True)
        opt.step()
        epoch_loss = epoch_loss + loss
    return epoch_loss / len(loader)


def main():
    torch.manual_seed(1)
    model = Bilinear(4, 2)
    data = [(torch.randn(5, 4), torch.randn(5, 2)) for _ in range(3)]
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    run_epoch(model, data, opt, reg=0.01)
    return {"left": model.left.grad.clone(), "right": model.right.grad.clone()}


if __name__ == "__main__":
    main()
