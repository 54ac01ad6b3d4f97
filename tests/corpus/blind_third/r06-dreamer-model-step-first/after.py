import torch
import torch.nn as nn


class WorldModel(nn.Module):
    def __init__(self, s=4, a=2):
        super().__init__()
        self.trans = nn.Sequential(nn.Linear(s + a, 16), nn.ELU(), nn.Linear(16, s))
        self.reward = nn.Linear(s, 1)

    def step(self, s, a):
        nxt = s + self.trans(torch.cat([s, a], -1))
        return nxt, self.reward(nxt).squeeze(-1)


class Agent:
    def __init__(self):
        self.wm = WorldModel()
        self.actor = nn.Sequential(nn.Linear(4, 16), nn.ELU(), nn.Linear(16, 2), nn.Tanh())
        self.wm_opt = torch.optim.Adam(self.wm.parameters(), lr=3e-3)
        self.actor_opt = torch.optim.Adam(self.actor.parameters(), lr=3e-3)

    def imagine(self, s, horizon=3):
        ret, discount = 0.0, 1.0
        for _ in range(horizon):
            s, r = self.wm.step(s, self.actor(s))
            ret = ret + discount * r
            discount *= 0.95
        return ret

    def update(self, s, a, r, s2):
        pred_s, pred_r = self.wm.step(s, a)
        wm_loss = (pred_s - s2).pow(2).mean() + (pred_r - r).pow(2).mean()

        self.wm_opt.zero_grad()
        wm_loss.backward()
        self.wm_opt.step()

        actor_loss = -self.imagine(s).mean()
        self.actor_opt.zero_grad()
        actor_loss.backward()
        grads = {n: p.grad.clone() for n, p in self.actor.named_parameters()}
        self.actor_opt.step()
        return grads


def main():
    torch.manual_seed(8)
    agent = Agent()
    s, a = torch.randn(10, 4), torch.rand(10, 2) * 2 - 1
    r, s2 = torch.randn(10), torch.randn(10, 4)
    return agent.update(s, a, r, s2)


if __name__ == "__main__":
    main()
