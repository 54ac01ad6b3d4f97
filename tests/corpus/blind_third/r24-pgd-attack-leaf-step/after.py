import torch
import torch.nn as nn
import torch.nn.functional as F


class PGD:
    def __init__(self, model, eps=0.1, alpha=0.04, steps=3):
        self.model, self.eps, self.alpha, self.steps = model, eps, alpha, steps

    def perturb(self, x, y):
        delta = torch.empty_like(x).uniform_(-self.eps, self.eps)
        delta.requires_grad_(True)
        for _ in range(self.steps):
            loss = F.cross_entropy(self.model(x + delta), y)
            (g,) = torch.autograd.grad(loss, delta)
            with torch.no_grad():
                delta.add_(self.alpha * g.sign()).clamp_(-self.eps, self.eps)
        return (x + delta).detach().clamp_(0, 1)


def adversarial_step(model, opt, attack, x, y):
    model.eval()
    x_adv = attack.perturb(x, y)
    model.train()
    opt.zero_grad()
    loss = 0.5 * F.cross_entropy(model(x), y) + 0.5 * F.cross_entropy(model(x_adv), y)
    loss.backward()
    return loss


def main():
    torch.manual_seed(58)
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(64, 3))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.rand(5, 1, 6, 6), torch.tensor([0, 2, 1, 1, 0])
    adversarial_step(model, opt, PGD(model), x, y)
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
