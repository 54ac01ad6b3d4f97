import copy

import torch
from torch import nn


class DQN:
    def __init__(self, obs, actions, tau=0.05, gamma=0.9):
        self.q = nn.Sequential(nn.Linear(obs, 8), nn.ReLU(inplace=True), nn.Linear(8, actions))
        self.target = copy.deepcopy(self.q)
        self.opt = torch.optim.AdamW(self.q.parameters(), lr=1e-2)
        self.tau, self.gamma = tau, gamma

    def bootstrap(self, nxt, reward, done):
        with torch.no_grad():
            best = self.target(nxt).amax(1)
            return best.masked_fill(done, 0.0) * self.gamma + reward

    def learn(self, s, a, r, n, d):
        value = self.q(s).gather(1, a[:, None])[:, 0]
        loss = nn.functional.smooth_l1_loss(value, self.bootstrap(n, r, d))
        self.opt.zero_grad(set_to_none=True)
        loss.backward()
        self.opt.step()
        with torch.no_grad():
            torch._foreach_lerp_(list(self.target.parameters()), list(self.q.parameters()), self.tau)


def main():
    torch.manual_seed(22)
    agent = DQN(3, 2)
    for _ in range(2):
        agent.learn(torch.randn(4, 3), torch.randint(0, 2, (4,)), torch.randn(4), torch.randn(4, 3), torch.rand(4) < 0.3)
    grads = {n: p.grad.clone() for n, p in agent.q.named_parameters()}
    return {**grads, "target": agent.target[0].weight.detach().clone()}


if __name__ == "__main__":
    main()
