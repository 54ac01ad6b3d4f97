import torch
from torch import nn


class PatchAttack:
    def __init__(self, victim, size, rate=0.1):
        self.victim, self.size, self.rate = victim, size, rate

    def paste(self, scene, patch, at):
        r, c = at
        scene = scene.clone()
        view = scene[..., r : r + self.size, c : c + self.size]
        view.copy_(patch.expand_as(view))
        return scene

    def run(self, scene, label, iters=2):
        patch = torch.zeros(3, self.size, self.size)
        for it in range(iters):
            scene = scene.detach().requires_grad_()
            attacked = self.paste(scene, patch, at=(it, it))
            loss = nn.functional.nll_loss(self.victim(attacked).log_softmax(1), label)
            (g,) = torch.autograd.grad(loss, scene)
            patch = (patch + self.rate * g[0, :, : self.size, : self.size].sign()).clamp(0, 1)
        return patch


def main():
    torch.manual_seed(46)
    victim = nn.Sequential(nn.Conv2d(3, 2, 3), nn.Flatten(), nn.Linear(32, 4))
    patch = PatchAttack(victim, size=2).run(torch.rand(1, 3, 6, 6), torch.tensor([3]))
    return {"patch": patch}


if __name__ == "__main__":
    main()
