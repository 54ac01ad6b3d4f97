import torch
import torch.nn as nn


class FusionModel(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Sequential(nn.Linear(dim, 16), nn.GELU(), nn.Linear(16, classes))

    def forward(self, image, text):
        return self.head(self.norm(image + text))


class LinfStep:
    def __init__(self, eps):
        self.eps = eps

    def __call__(self, x, grad):
        return x + grad.sign() * self.eps


class L2Step:
    def __init__(self, eps):
        self.eps = eps

    def __call__(self, x, grad):
        norm = grad.flatten(1).norm(dim=1, keepdim=True).clamp(min=1e-8)
        return x + self.eps * grad / norm


class CoAttack:
    def __init__(self, model, image_step, text_step):
        self.model, self.steps = model, (image_step, text_step)

    def perturb(self, image, text, labels):
        inputs = tuple(t.detach().requires_grad_() for t in (image, text))
        loss = nn.functional.cross_entropy(self.model(*inputs), labels)
        grads = torch.autograd.grad(loss, inputs)
        return tuple(step(t.detach(), g) for step, t, g in zip(self.steps, inputs, grads))


def main():
    torch.manual_seed(28)
    attack = CoAttack(FusionModel(6, 3), LinfStep(0.1), L2Step(0.5))
    image, text = torch.randn(4, 6), torch.randn(4, 6)
    adv_image, adv_text = attack.perturb(image, text, torch.tensor([0, 1, 2, 1]))
    return {"image": adv_image, "text": adv_text}


if __name__ == "__main__":
    main()
