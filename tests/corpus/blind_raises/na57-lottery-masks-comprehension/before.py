import torch
from torch import nn


def prunable(model):
    return {n: p for n, p in model.named_parameters() if p.dim() > 1}


class Mask(dict):
    @classmethod
    def by_magnitude(cls, model, fraction):
        scores = torch.cat([p.detach().abs().flatten() for p in prunable(model).values()])
        threshold = scores.kthvalue(max(1, int(fraction * scores.numel()))).values
        return cls({n: (p.detach().abs() > threshold).float() for n, p in prunable(model).items()})

    @property
    def density(self):
        return sum(m.sum() for m in self.values()) / sum(m.numel() for m in self.values())


class PrunedModel(nn.Module):
    def __init__(self, model, mask):
        super().__init__()
        self.model, self.mask = model, mask

    @torch.no_grad()
    def _apply_mask(self):
        weights = prunable(self.model)
        return [weights[n].mul_(m) for n, m in self.mask.items()]

    def forward(self, x):
        self._apply_mask()
        return self.model(x)


def consistency_step(net, x, opt, noise=0.1):
    clean = net(x)
    noisy = net(x + noise * torch.randn_like(x))
    loss = (clean - noisy).square().mean() + 0.1 * clean.square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(5, 8, bias=False), nn.Hardtanh(), nn.Linear(8, 4, bias=False))
    mask = Mask.by_magnitude(model, 0.5)
    net = PrunedModel(model, mask)
    loss = consistency_step(net, torch.randn(6, 5), torch.optim.SGD(net.parameters(), lr=0.1))
    return {"loss": loss, "density": mask.density, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
