import torch
import torch.nn as nn
from torch.distributions import Categorical


def get_flat_params_from(model):
    return torch.cat([p.data.view(-1) for p in model.parameters()])


def set_flat_params_to(model, flat):
    start = 0
    for p in model.parameters():
        n = p.numel()
        p.data.copy_(flat[start:start + n].view(p.size()))
        start += n


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.affine1 = nn.Linear(obs, 16)
        self.affine2 = nn.Linear(16, actions)

    def forward(self, x):
        return Categorical(logits=self.affine2(torch.tanh(self.affine1(x))))


def surrogate(policy, obs, acts, adv, old_logp):
    return -(torch.exp(policy(obs).log_prob(acts) - old_logp) * adv).mean()


def probe_direction(policy, batch, direction, step):
    base = get_flat_params_from(policy)
    set_flat_params_to(policy, base + step * direction)
    loss = surrogate(policy, *batch)
    policy.zero_grad()
    loss.backward()
    set_flat_params_to(policy, base)
    return torch.cat([p.grad.view(-1) for p in policy.parameters()])


def main():
    torch.manual_seed(14)
    policy = Policy(3, 4)
    obs, acts, adv = torch.randn(12, 3), torch.randint(0, 4, (12,)), torch.randn(12)
    with torch.no_grad():
        old = policy(obs).log_prob(acts)
    direction = torch.randn_like(get_flat_params_from(policy))
    return {"grad": probe_direction(policy, (obs, acts, adv, old), direction, 0.8)}


if __name__ == "__main__":
    main()
