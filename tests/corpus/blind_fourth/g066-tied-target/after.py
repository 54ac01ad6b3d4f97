import torch
import torch.nn as nn


class DoubleQ:
    period = 2

    def __init__(self, n, k):
        self.online = nn.Sequential(nn.Linear(n, 12), nn.ReLU(), nn.Linear(12, k))
        self.frozen = nn.Sequential(nn.Linear(n, 12), nn.ReLU(), nn.Linear(12, k))
        self.opt = torch.optim.SGD(self.online.parameters(), lr=0.1)
        self.t = 0

    def sync(self):
        for f, o in zip(self.frozen.parameters(), self.online.parameters()):
            f.data.copy_(o.data)

    def update(self, s, a, r, s2):
        if self.t % self.period == 0:
            self.sync()
        self.t += 1
        with torch.no_grad():
            pick = self.online(s2).argmax(1, keepdim=True)
            y = r + 0.9 * self.frozen(s2).gather(1, pick).squeeze(1)
        q = self.online(s).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.mse_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(75)
    agent = DoubleQ(3, 2)
    out = []
    for _ in range(5):
        out.append(agent.update(torch.randn(6, 3), torch.randint(0, 2, (6,)), torch.randn(6), torch.randn(6, 3)))
    return {"loss": torch.stack(out), "w": agent.online[0].weight.detach()}


if __name__ == "__main__":
    main()
