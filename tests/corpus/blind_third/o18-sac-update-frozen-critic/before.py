import copy
import torch
import torch.nn as nn


def mlp(i, o):
    return nn.Sequential(nn.Linear(i, 16), nn.ReLU(inplace=True), nn.Linear(16, o))


class SAC:
    def __init__(self, obs=3, act=2, tau=0.05, gamma=0.99):
        self.actor, self.q = mlp(obs, 2 * act), mlp(obs + act, 2)
        self.q_targ = copy.deepcopy(self.q).requires_grad_(False)
        self.log_alpha = torch.zeros((), requires_grad=True)
        self.opt_q = torch.optim.Adam(self.q.parameters(), lr=1e-2)
        self.opt_pi = torch.optim.Adam(self.actor.parameters(), lr=1e-2)
        self.opt_al = torch.optim.Adam([self.log_alpha], lr=1e-2)
        self.tau, self.gamma = tau, gamma

    def pi(self, s):
        mu, log_std = self.actor(s).chunk(2, -1)
        dist = torch.distributions.Normal(mu, log_std.clamp(-3, 1).exp())
        u = dist.rsample()
        a = torch.tanh(u)
        logp = (dist.log_prob(u) - torch.log(1 - a.pow(2) + 1e-6)).sum(-1)
        return a, logp

    def update(self, s, a, r, s2):
        alpha = self.log_alpha.exp().detach()
        with torch.no_grad():
            a2, lp2 = self.pi(s2)
            y = self.q_targ(torch.cat([s2, a2], -1)).min(-1).values
            y.sub_(alpha * lp2).mul_(self.gamma).add_(r)
        self.opt_q.zero_grad()
        (self.q(torch.cat([s, a], -1)) - y[:, None]).pow(2).mean().backward()
        self.opt_q.step()

        self.q.requires_grad_(False)
        pa, lp = self.pi(s)
        pi_loss = (alpha * lp - self.q(torch.cat([s, pa], -1)).min(-1).values).mean()
        self.opt_pi.zero_grad()
        pi_loss.backward()
        self.opt_pi.step()
        self.q.requires_grad_(True)

        self.opt_al.zero_grad()
        (-self.log_alpha * (lp.detach() - 2.0)).mean().backward()
        self.opt_al.step()
        self.log_alpha.data.clamp_(-5.0, 2.0)
        with torch.no_grad():
            for t, p in zip(self.q_targ.parameters(), self.q.parameters()):
                t.mul_(1 - self.tau).add_(p, alpha=self.tau)
        return pi_loss.detach()


def main():
    torch.manual_seed(218)
    agent = SAC()
    for _ in range(3):
        batch = torch.randn(8, 3), torch.rand(8, 2) * 2 - 1, torch.randn(8), torch.randn(8, 3)
        loss = agent.update(*batch)
    return {"loss": loss, "alpha": agent.log_alpha.detach(), **{n: p.grad for n, p in agent.actor.named_parameters()}}


if __name__ == "__main__":
    main()
