import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class BYOL(nn.Module):
    def __init__(self, d=5, z=4, tau=0.1):
        super().__init__()
        self.online = nn.Sequential(nn.Linear(d, 10), nn.BatchNorm1d(10), nn.ReLU(inplace=True), nn.Linear(10, z))
        self.predictor = nn.Linear(z, z)
        self.target = copy.deepcopy(self.online).requires_grad_(False)
        self.tau = tau

    @torch.no_grad()
    def update_target(self):
        for t, o in zip(self.target.parameters(), self.online.parameters()):
            t.lerp_(o, self.tau)
        for t, o in zip(self.target.buffers(), self.online.buffers()):
            t.copy_(o)

    def loss(self, a, b):
        def one(u, v):
            p = self.predictor(self.online(u))
            with torch.no_grad():
                t = self.target(v)
            return 2 - 2 * F.cosine_similarity(p, t, dim=-1)
        return (one(a, b) + one(b, a)).mean()


def main():
    torch.manual_seed(208)
    model = BYOL()
    opt = torch.optim.SGD([*model.online.parameters(), *model.predictor.parameters()], lr=0.1, momentum=0.9)
    for _ in range(3):
        x = torch.randn(8, 5)
        loss = model.loss(x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.update_target()
    return {"loss": loss, "target": model.target[0].weight, **{n: p.grad for n, p in model.online.named_parameters()}}


if __name__ == "__main__":
    main()
