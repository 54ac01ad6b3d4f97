import random
from collections import deque, namedtuple

import torch
import torch.nn as nn

Transition = namedtuple("Transition", "state action reward next_state")


class Spring:
    """A damped mass; pushing left or right."""

    def __init__(self):
        self.state = torch.tensor([1.0, 0.0])

    def step(self, push: int):
        x, v = self.state.tolist()
        force = (1.0 if push else -1.0) - 2.0 * x - 0.1 * v
        self.state.add_(torch.tensor([v, force]) * 0.1)
        return self.state, -abs(x)


class ReplayMemory:
    def __init__(self, capacity: int, seed: int):
        self.memory = deque(maxlen=capacity)
        self.rng = random.Random(seed)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        batch = Transition(*zip(*self.rng.sample(list(self.memory), n)))
        return (torch.stack(batch.state), torch.tensor(batch.action), torch.tensor(batch.reward), torch.stack(batch.next_state))


def play(env, memory, steps):
    state = env.state
    for t in range(steps):
        action = (t // 3) % 2
        nxt, reward = env.step(action)
        memory.push(state, action, reward, nxt)
        state = nxt


def main():
    torch.manual_seed(131)
    q = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 2))
    memory = ReplayMemory(50, seed=1)
    play(Spring(), memory, steps=12)
    s, a, r, n = memory.sample(6)
    with torch.no_grad():
        target = r + 0.9 * q(n).amax(1)
    nn.functional.smooth_l1_loss(q(s).gather(1, a[:, None]).squeeze(1), target).backward()
    return {"states": s, **{k: p.grad for k, p in q.named_parameters()}}


if __name__ == "__main__":
    main()
