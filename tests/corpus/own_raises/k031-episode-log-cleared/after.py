import torch
from torch import nn
from torch.distributions import Normal


class Policy(nn.Module):
    def __init__(self, obs):
        super().__init__()
        self.mean = nn.Sequential(nn.Linear(obs, 6), nn.Tanh(), nn.Linear(6, 1))
        self.log_std = nn.Parameter(torch.zeros(1))
        self.rewards, self.saved_log_probs = [], []

    def forward(self, obs):
        return Normal(self.mean(obs), self.log_std.exp())

    def select(self, obs):
        dist = self(obs)
        action = dist.sample()
        self.saved_log_probs.append(dist.log_prob(action))
        return action


def finish_episode(policy, opt, gamma=0.9):
    run, returns = 0.0, []
    for r in policy.rewards[::-1]:
        run = r + gamma * run
        returns.insert(0, run)
    returns = torch.tensor(returns)
    returns = returns - returns.mean()
    returns = returns / (returns.std() + 1e-6)
    loss = torch.cat([-lp * g for lp, g in zip(policy.saved_log_probs, returns)]).sum()
    opt.zero_grad()
    loss.backward()
    opt.step()
    del policy.rewards[:]
    del policy.saved_log_probs[:]


def main():
    torch.manual_seed(85)
    policy = Policy(2)
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for _ in range(2):
        obs = torch.randn(2)
        for _ in range(3):
            action = policy.select(obs)
            policy.rewards.append(-action.abs().item())
            obs = 0.5 * obs + 0.1 * action
        finish_episode(policy, opt)
    return {n: p.grad.clone() for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
