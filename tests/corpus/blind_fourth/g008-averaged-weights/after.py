import torch
import torch.nn as nn


class Averager:
    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.named_parameters():
            self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)

    def distance(self, model):
        return sum((self.shadow[k] - v).abs().sum() for k, v in model.named_parameters())


def main():
    torch.manual_seed(10)
    model = nn.Linear(4, 2)
    avg = Averager(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(20, 4), torch.randn(20, 2)
    for _ in range(5):
        opt.zero_grad()
        pull = 0.1 * avg.distance(model)
        (nn.functional.mse_loss(model(x), y) + pull).backward()
        opt.step()
        avg.update(model)
    return {"weight": model.weight.detach(), "shadow": avg.shadow["weight"]}


if __name__ == "__main__":
    main()
