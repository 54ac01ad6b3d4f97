import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 8), nn.ReLU(), nn.Linear(8, actions))
        self.saved = []

    def forward(self, obs):
        dist = Categorical(logits=self.body(obs))
        action = dist.sample()
        self.saved.append((dist.log_prob(action), dist.entropy()))
        return action.item()


def finish_episode(policy, rewards, opt):
    returns, running = [], 0.0
    for r in reversed(rewards):
        running = r + 0.9 * running
        returns.insert(0, running)
    terms = [-lp * ret - 0.01 * ent for (lp, ent), ret in zip(policy.saved[-len(returns) :], returns)]
    history = torch.stack([lp for lp, _ in policy.saved]).mean()
    loss = torch.stack(terms).sum() + 0.0 * history
    opt.zero_grad()
    loss.backward()
    opt.step()
    policy.saved.clear()


def main():
    torch.manual_seed(75)
    policy = Policy(3, 2)
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for _ in range(2):
        rewards = [float(policy(torch.randn(3))) for _ in range(3)]
        finish_episode(policy, rewards, opt)
    return {n: p.grad.clone() for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
