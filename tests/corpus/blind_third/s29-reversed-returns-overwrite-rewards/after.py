import torch
import torch.nn as nn


def discounted(rewards, dones, gamma=0.9):
    """Reward-to-go along dim 0."""
    returns = rewards.clone(memory_format=torch.contiguous_format)
    for t in reversed(range(len(returns) - 1)):
        returns[t] += gamma * returns[t + 1] * (1 - dones[t])
    return returns


class WorldCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(4, 10), nn.ReLU())
        self.value, self.reward = nn.Linear(10, 1), nn.Linear(10, 1)

    def forward(self, obs):
        h = self.shared(obs)
        return self.value(h).squeeze(-1), self.reward(h).squeeze(-1)


def losses(model, batch):
    ret = discounted(batch["rew"], batch["done"])
    v, r = model(batch["obs"])
    return {"value": 0.5 * (v - ret).pow(2).mean(), "reward": (r - batch["rew"]).pow(2).mean()}


def main():
    torch.manual_seed(129)
    model = WorldCritic()
    opt = torch.optim.Adam(model.parameters(), lr=3e-4)
    batch = {"obs": torch.randn(7, 3, 4), "rew": torch.rand(7, 3), "done": (torch.rand(7, 3) < 0.1).float()}
    terms = losses(model, batch)
    opt.zero_grad()
    sum(terms.values()).backward()
    return {**terms, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
