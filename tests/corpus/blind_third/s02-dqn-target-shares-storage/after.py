import torch
import torch.nn as nn


def make_q(obs=4, act=3):
    return nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, act))


class DQN:
    def __init__(self, gamma=0.97, sync_every=4):
        self.online, self.target = make_q(), make_q()
        self.opt = torch.optim.RMSprop(self.online.parameters(), lr=0.01)
        self.gamma, self.sync_every, self.updates = gamma, sync_every, 0
        self.sync()

    def sync(self):
        for t, p in zip(self.target.parameters(), self.online.parameters()):
            t.data = p.data.clone()

    def learn(self, s, a, r, s2, done):
        with torch.no_grad():
            bootstrap = self.target(s2).max(1).values
            y = r + self.gamma * (1 - done) * bootstrap
        q = self.online(s).gather(1, a[:, None]).squeeze(1)
        loss = nn.functional.smooth_l1_loss(q, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.updates += 1
        if self.updates % self.sync_every == 0:
            self.sync()
        return loss.detach()


def main():
    torch.manual_seed(102)
    agent = DQN()
    for _ in range(3):
        s, s2 = torch.randn(8, 4), torch.randn(8, 4)
        a, r, done = torch.randint(0, 3, (8,)), torch.randn(8), (torch.rand(8) < 0.2).float()
        loss = agent.learn(s, a, r, s2, done)
    return {"loss": loss, **{n: p.grad for n, p in agent.online.named_parameters()}}


if __name__ == "__main__":
    main()
