import torch
from torch import nn


class PPOBuffer:
    def __init__(self, obs, actions, advantages):
        self.obs, self.actions, self.advantages = obs, actions, advantages

    def minibatches(self, size):
        for lo in range(0, len(self.obs), size):
            part = slice(lo, lo + size)
            yield {"obs": self.obs[part], "act": self.actions[part], "adv": self.advantages[part]}


def ppo_loss(policy, mb, coef):
    adv = mb["adv"]
    adv -= adv.mean()
    adv *= coef
    logp = policy(mb["obs"]).log_softmax(-1).gather(1, mb["act"]).squeeze(1)
    return -(logp * adv).mean()


def main():
    torch.manual_seed(671)
    policy = nn.Linear(3, 2)
    buffer = PPOBuffer(torch.randn(8, 3), torch.randint(0, 2, (8, 1)), torch.randn(8))
    opt = torch.optim.SGD(policy.parameters(), lr=0.5)
    for epoch in range(3):
        for mb in buffer.minibatches(4):
            opt.zero_grad()
            ppo_loss(policy, mb, 0.5).backward()
            opt.step()
    return {"advantages": buffer.advantages, "weight": policy.weight}


if __name__ == "__main__":
    main()
