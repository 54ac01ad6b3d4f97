import torch
import torch.nn as nn


class Proximal(torch.optim.SGD):
    def __init__(self, params, lr, l1):
        super().__init__(params, lr=lr)
        self.l1 = l1

    def step(self, closure=None):
        out = super().step(closure)
        for group in self.param_groups:
            t = group["lr"] * self.l1
            for p in group["params"]:
                if p.dim() > 1:
                    p.data.copy_(p.data.sign() * (p.data.abs() - t).clamp_(min=0))
        return out


class Lasso(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.lin = nn.Linear(n, 1)

    def training_step(self, batch, idx):
        x, y = batch
        return nn.functional.mse_loss(self.lin(x).squeeze(1), y)

    def configure_optimizers(self):
        return Proximal(self.parameters(), lr=0.1, l1=0.2)


def main():
    torch.manual_seed(107)
    m = Lasso(4)
    opt = m.configure_optimizers()
    losses = []
    for i in range(5):
        x = torch.randn(8, 4)
        loss = m.training_step((x, 2 * x[:, 0]), i)
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.detach())
    return {"w": m.lin.weight.detach(), "loss": torch.stack(losses)}


if __name__ == "__main__":
    main()
