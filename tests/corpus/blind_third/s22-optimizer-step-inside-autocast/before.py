import torch
import torch.nn as nn


class Regressor(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def inner_epochs(model, opt, x, y, epochs):
    """Several passes over one rollout, as in PPO."""
    for _ in range(epochs):
        pred = model(x)
        loss = (pred.float() - y).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(122)
    model = Regressor()
    opt = torch.optim.SGD(model.parameters(), lr=0.2)
    x = torch.randn(32, 4)
    y = x[:, 0] - 2 * x[:, 1]
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = inner_epochs(model, opt, x, y, epochs=4)
    return {"loss": loss, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
