import torch
from torch import nn
import torch.nn.functional as F


class Attack:
    def __init__(self, model: nn.Module, eps: float):
        self.model = model
        self.eps = eps
        self._targeted = False

    def loss(self, images, labels):
        cost = F.cross_entropy(self.model(images), labels)
        return -cost if self._targeted else cost

    def __call__(self, images, labels):
        training = self.model.training
        self.model.eval()
        adv = self.run(images, labels)
        self.model.train(training)
        return adv


class LinfPGD(Attack):
    def __init__(self, model, eps=0.1, alpha=0.03, steps=3):
        super().__init__(model, eps)
        self.alpha = alpha
        self.steps = steps

    def run(self, images, labels):
        delta = torch.zeros_like(images, requires_grad=True)
        for _ in range(self.steps):
            cost = self.loss(images + delta, labels)
            (grad,) = torch.autograd.grad(cost, delta)
            with torch.no_grad():
                delta.add_(self.alpha * grad.sign()).clamp_(-self.eps, self.eps)
        return (images + delta).clamp(0, 1).detach()


def adversarial_training_step(model, attack, images, labels):
    adv = attack(images, labels)
    loss = F.cross_entropy(model(adv), labels)
    model.zero_grad()
    loss.backward()
    return loss


def main():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))
    images, labels = torch.rand(5, 1, 4, 4), torch.randint(0, 3, (5,))
    loss = adversarial_training_step(model, LinfPGD(model), images, labels)
    return {"loss": loss, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
