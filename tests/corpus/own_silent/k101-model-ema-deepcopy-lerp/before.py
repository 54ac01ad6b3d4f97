import copy

import torch
from torch import nn


class ModelEma(nn.Module):
    def __init__(self, model, decay=0.9):
        super().__init__()
        self.module = copy.deepcopy(model).eval()
        self.decay = decay
        for p in self.module.parameters():
            p.requires_grad_(False)

    @torch.no_grad()
    def update(self, model):
        for avg, new in zip(self.module.state_dict().values(), model.state_dict().values()):
            if avg.is_floating_point():
                avg.lerp_(new, 1 - self.decay)
            else:
                avg.copy_(new)


def main():
    torch.manual_seed(5)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 2))
    ema = ModelEma(model)
    opt = torch.optim.AdamW(model.parameters(), lr=0.05)
    for _ in range(3):
        x, y = torch.randn(8, 3), torch.randint(0, 2, (8,))
        loss = nn.functional.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        ema.update(model)
    return {"loss": loss, **dict(ema.module.named_parameters())}


if __name__ == "__main__":
    main()
