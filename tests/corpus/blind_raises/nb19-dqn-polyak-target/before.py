import copy
from collections import deque, namedtuple
from itertools import zip_longest

import torch
from torch import nn

Transition = namedtuple("Transition", "obs action reward next_obs done")


def zip_strict(*iterables):
    sentinel = object()
    for combo in zip_longest(*iterables, fillvalue=sentinel):
        if sentinel in combo:
            raise ValueError("iterables have different lengths")
        yield combo


def polyak_update(params, target_params, tau):
    with torch.no_grad():
        for param, target in zip_strict(params, target_params):
            target.data.mul_(1 - tau)
            torch.add(target.data, param.data, alpha=tau, out=target.data)


class QNetwork(nn.Module):
    def __init__(self, obs_dim, actions):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(obs_dim, 8), nn.ReLU())
        self.value, self.advantage = nn.Linear(8, 1), nn.Linear(8, actions)

    def forward(self, obs):
        h = self.features(obs)
        a = self.advantage(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)


class DoubleDQN:
    def __init__(self, obs_dim, actions, gamma=0.9, tau=0.1):
        self.q = QNetwork(obs_dim, actions)
        self.target = copy.deepcopy(self.q).requires_grad_(False)
        self.opt = torch.optim.SGD(self.q.parameters(), lr=0.05)
        self.gamma, self.tau = gamma, tau
        self.replay = deque(maxlen=32)

    def sample(self, n):
        batch = Transition(*zip(*list(self.replay)[-n:]))
        return Transition(*(torch.stack(x) for x in batch))

    def train_step(self, n):
        b = self.sample(n)
        with torch.no_grad():
            best = self.q(b.next_obs).argmax(dim=1, keepdim=True)
            nxt = self.target(b.next_obs).gather(1, best).squeeze(1)
            goal = b.reward + self.gamma * nxt * (1 - b.done)
        current = self.q(b.obs).gather(1, b.action.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(current, goal)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        polyak_update(self.q.parameters(), self.target.parameters(), self.tau)


def main():
    torch.manual_seed(0)
    agent = DoubleDQN(3, 2)
    for _ in range(8):
        agent.replay.append(Transition(torch.randn(3), torch.randint(0, 2, ()), torch.rand(()), torch.randn(3), torch.zeros(())))
    for _ in range(2):
        agent.train_step(6)
    return {**{f"q.{n}": p.grad for n, p in agent.q.named_parameters()}, **{f"t.{n}": p.detach() for n, p in agent.target.named_parameters()}}


if __name__ == "__main__":
    main()
