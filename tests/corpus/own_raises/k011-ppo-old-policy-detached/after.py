from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class Rollout:
    obs: Tensor
    act: Tensor
    logp: Tensor
    adv: Tensor

    def minibatches(self, size):
        for idx in torch.arange(len(self.obs)).split(size):
            yield self.obs[idx], self.act[idx], self.logp[idx], self.adv[idx]


def collect(policy, n=8):
    obs = torch.randn(n, 3)
    with torch.no_grad():
        dist = torch.distributions.Categorical(logits=policy(obs))
        act = dist.sample()
        logp = dist.log_prob(act)
        adv = obs.sum(1)
        adv = adv - adv.mean()
        adv = adv / (adv.std() + 1e-8)
    return Rollout(obs, act, logp, adv)


def main():
    torch.manual_seed(10)
    policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 4))
    opt = torch.optim.Adam(policy.parameters(), lr=1e-2)
    data = collect(policy)
    for _ in range(2):
        for obs, act, old, adv in data.minibatches(4):
            ratio = torch.exp(torch.log_softmax(policy(obs), -1).gather(1, act[:, None])[:, 0] - old)
            loss = -torch.min(ratio * adv, ratio.clamp(0.8, 1.2) * adv).mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            opt.step()
    return {n: p.grad.clone() for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
