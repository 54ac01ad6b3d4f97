import torch
from torch import nn


class RolloutBuffer:
    def __init__(self, steps, envs, obs_dim):
        self.obs = torch.zeros(steps, envs, obs_dim)
        self.actions = torch.zeros(steps, envs, dtype=torch.long)
        self.rewards, self.values = torch.zeros(2, steps, envs)
        self.pos = 0

    def add(self, obs, action, reward, value):
        self.obs[self.pos] = obs
        self.actions[self.pos] = action
        self.rewards[self.pos].copy_(reward)
        self.values[self.pos].copy_(value)
        self.pos += 1

    def returns(self, last_value, gamma):
        out = torch.empty_like(self.rewards)
        running = last_value.clone()
        for t in reversed(range(self.pos)):
            running = running * gamma + self.rewards[t]
            out[t] = running
        return out


def main():
    torch.manual_seed(15)
    actor, critic = nn.Linear(3, 2), nn.Linear(3, 1)
    buf, obs = RolloutBuffer(4, 2, 3), torch.randn(2, 3)
    for _ in range(4):
        with torch.no_grad():
            action, value = actor(obs).argmax(-1), critic(obs).squeeze(-1)
        buf.add(obs, action, -obs.abs().sum(-1), value)
        obs = torch.randn(2, 3)
    with torch.no_grad():
        ret = buf.returns(critic(obs).squeeze(-1), 0.9)
    adv = ret - buf.values
    logp = actor(buf.obs).log_softmax(-1).gather(-1, buf.actions.unsqueeze(-1)).squeeze(-1)
    loss = -(logp * adv).mean() + (critic(buf.obs).squeeze(-1) - ret).square().mean()
    loss.backward()
    return {"actor": actor.weight.grad, "critic": critic.weight.grad, "returns": ret}


if __name__ == "__main__":
    main()
