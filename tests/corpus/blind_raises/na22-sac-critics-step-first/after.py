import torch
from torch import nn


def mlp(i, o, hidden=8):
    return nn.Sequential(nn.Linear(i, hidden), nn.ReLU(), nn.Linear(hidden, o))


class TwinQ(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.q1, self.q2 = mlp(obs_dim + act_dim, 1), mlp(obs_dim + act_dim, 1)

    def forward(self, obs, act):
        z = torch.cat([obs, act], dim=-1)
        return self.q1(z), self.q2(z)


class GaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.net = mlp(obs_dim, 2 * act_dim)

    def forward(self, obs):
        mu, log_std = self.net(obs).chunk(2, dim=-1)
        std = log_std.clamp(-5, 2).exp()
        raw = mu + std * torch.randn_like(mu)
        logp = -0.5 * ((raw - mu) / std).square() - log_std - torch.log(1 - raw.tanh().square() + 1e-6)
        return raw.tanh(), logp.sum(-1, keepdim=True)


class SACPolicy:
    def __init__(self, obs_dim=3, act_dim=2, alpha=0.2, gamma=0.9):
        self.actor, self.critic, self.target = GaussianActor(obs_dim, act_dim), TwinQ(obs_dim, act_dim), TwinQ(obs_dim, act_dim)
        self.target.load_state_dict(self.critic.state_dict())
        self.alpha, self.gamma = alpha, gamma
        self.optims = {
            "actor": torch.optim.Adam(self.actor.parameters(), lr=1e-3),
            "critic": torch.optim.Adam(self.critic.parameters(), lr=1e-3),
        }

    def losses(self, obs, act, rew, nxt):
        with torch.no_grad():
            a2, logp2 = self.actor(nxt)
            backup = rew + self.gamma * (torch.min(*self.target(nxt, a2)) - self.alpha * logp2)
        critic_loss = sum((q - backup).square().mean() for q in self.critic(obs, act))
        a, logp = self.actor(obs)
        actor_loss = (self.alpha * logp - torch.min(*self.critic(obs, a))).mean()
        return {"critic": critic_loss, "actor": actor_loss}

    def learn(self, batch):
        losses = self.losses(*batch)
        for name, loss in losses.items():
            self.optims[name].zero_grad()
            loss.backward(inputs=[p for g in self.optims[name].param_groups for p in g["params"]])
        for name in losses:
            self.optims[name].step()
        return {k: v.item() for k, v in losses.items()}


def main():
    torch.manual_seed(0)
    policy = SACPolicy()
    policy.learn((torch.randn(6, 3), torch.rand(6, 2), torch.randn(6, 1), torch.randn(6, 3)))
    return {n: p.grad for n, p in policy.actor.named_parameters()}


if __name__ == "__main__":
    main()
