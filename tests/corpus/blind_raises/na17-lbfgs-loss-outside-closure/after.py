import torch
from torch import nn


class PINN(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(1, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, t):
        return self.net(t)


def decay_residual(model, t, rate=1.3):
    t = t.clone().requires_grad_(True)
    u = model(t)
    (du,) = torch.autograd.grad(u.sum(), t, create_graph=True)
    return du + rate * u


class PhysicsLoss:
    def __init__(self, collocation, boundary):
        self.collocation = collocation
        self.boundary = boundary

    def __call__(self, model):
        pde = decay_residual(model, self.collocation).square().mean()
        t0, u0 = self.boundary
        return pde + (model(t0) - u0).square().mean()


def train(model, objective, epochs, max_iter=4):
    opt = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=max_iter)
    log = []
    for _ in range(epochs):

        def closure():
            opt.zero_grad()
            loss = objective(model)
            loss.backward()
            return loss

        log.append(opt.step(closure).detach())
    return torch.stack(log)


def main():
    torch.manual_seed(0)
    model = PINN()
    objective = PhysicsLoss(torch.linspace(0, 1, 8).unsqueeze(1), (torch.zeros(1, 1), torch.ones(1, 1)))
    log = train(model, objective, epochs=1)
    return {"loss": log, **{n: p.detach() for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
