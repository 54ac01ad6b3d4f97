import torch
import torch.nn as nn
import torch.nn.functional as F


class Gan:
    def __init__(self):
        self.g = nn.Sequential(nn.Linear(2, 8), nn.ReLU(inplace=True), nn.Linear(8, 2))
        self.d = nn.Sequential(nn.Linear(2, 8), nn.LeakyReLU(0.2, inplace=True), nn.Linear(8, 1))
        self.opts = {k: torch.optim.SGD(m.parameters(), lr=0.1) for k, m in (("g", self.g), ("d", self.d))}

    def optimise(self, which, loss, keep=False):
        self.opts[which].zero_grad()
        loss.backward(retain_graph=keep)
        self.opts[which].step()

    def round(self, real):
        fake = self.g(torch.randn_like(real))
        d_loss = F.softplus(self.d(fake)).mean() + F.softplus(-self.d(real)).mean()
        self.optimise("d", d_loss, keep=True)
        self.optimise("g", F.softplus(-self.d(fake)).mean())
        return d_loss.detach()


def main():
    torch.manual_seed(106)
    gan = Gan()
    trace = [gan.round(torch.randn(6, 2) + 1) for _ in range(3)]
    return {"trace": torch.stack(trace), "g": gan.g[0].weight.detach()}


if __name__ == "__main__":
    main()
