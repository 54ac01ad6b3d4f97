import torch

import policy.agent as agent_lib
from policy.conf import AgentConf


def reinforce_loss(mean, actions, returns, std=0.3):
    logp = (actions - mean).pow(2).sum(-1).mul(-0.5 / std**2)
    adv = returns - returns.mean()
    adv /= adv.std().clamp_(min=1e-6)
    return -(logp * adv).mean()


def main():
    torch.manual_seed(4)
    conf = AgentConf()
    agent = agent_lib.make_agent(conf)
    obs = torch.randn(16, conf.obs_dim)
    mean = agent(obs)
    noise = torch.randn(mean.shape).mul_(0.3)
    actions = mean.detach() + noise
    returns = torch.randn(16).cumsum_(0)
    reinforce_loss(mean, actions, returns).backward()
    for name, p in agent.named_parameters():
        print(name, f"{p.grad.abs().mean().item():.7f}")


if __name__ == "__main__":
    main()
