import torch
import torch.nn as nn


class AveragedWeights:
    """Exponential average of the weights, usable as a context."""

    def __init__(self, model, decay):
        self.model, self.decay = model, decay
        self.shadow = {k: v.detach().clone() for k, v in model.named_parameters()}
        self.backup = {}

    def update(self):
        for k, v in self.model.named_parameters():
            self.shadow[k].lerp_(v.detach(), 1 - self.decay)

    def __enter__(self):
        for k, v in self.model.named_parameters():
            self.backup[k] = v.detach().clone()
            v.data.copy_(self.shadow[k])
        return self.model

    def __exit__(self, *exc):
        for k, v in self.model.named_parameters():
            v.data.copy_(self.backup.pop(k))


def main():
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(4, 6), nn.GELU(), nn.Linear(6, 2))
    opt = torch.optim.SGD(model.parameters(), lr=0.8)
    ema = AveragedWeights(model, decay=0.5)
    x, y = torch.randn(8, 4), torch.randn(8, 2)
    for _ in range(2):
        opt.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        with ema as averaged:
            with torch.no_grad():
                val = (averaged(x) - y).square().mean()
        opt.step()
        ema.update()
    return {"val": val, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
