import copy
import torch
import torch.nn as nn


def soft_update(dst, src, tau):
    with torch.no_grad():
        for a, b in zip(dst.parameters(), src.parameters()):
            a.lerp_(b, tau)


class Agent:
    def __init__(self):
        self.q = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2))
        self.q_target = copy.deepcopy(self.q)
        self.opt = torch.optim.SGD(self.q.parameters(), lr=0.1)

    def learn(self, s, a, r, s2):
        with torch.no_grad():
            y = r + 0.95 * self.q_target(s2).amax(1)
        pred = self.q(s).gather(1, a[:, None]).squeeze(1)
        loss = (pred - y).square().mean()
        soft_update(self.q_target, self.q, 0.1)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(16)
    agent = Agent()
    out = [agent.learn(torch.randn(6, 3), torch.randint(0, 2, (6,)), torch.randn(6), torch.randn(6, 3)) for _ in range(4)]
    return {"loss": torch.stack(out), "w": agent.q[0].weight.grad}


if __name__ == "__main__":
    main()
