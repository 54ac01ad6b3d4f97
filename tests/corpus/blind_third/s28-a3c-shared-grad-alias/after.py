import torch
import torch.nn as nn


class ActorCritic(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 12), nn.ELU())
        self.pi, self.v = nn.Linear(12, 2), nn.Linear(12, 1)

    def forward(self, s):
        h = self.body(s)
        return self.pi(h), self.v(h).squeeze(-1)


class Worker:
    def __init__(self, shared):
        self.shared, self.local = shared, ActorCritic()

    def pull(self):
        self.local.load_state_dict(self.shared.state_dict())

    def rollout_loss(self, s, a, ret):
        logits, v = self.local(s)
        logp = torch.log_softmax(logits, -1)
        adv = ret - v
        pg = -(logp.gather(1, a[:, None]).squeeze(1) * adv.detach()).mean()
        ent = -(logp.exp() * logp).sum(-1).mean()
        return pg + 0.5 * adv.pow(2).mean() - 0.01 * ent

    def push(self):
        for lp, sp in zip(self.local.parameters(), self.shared.parameters()):
            sp.grad = lp.grad.clone()
        self.local.zero_grad(set_to_none=False)


def main():
    torch.manual_seed(128)
    shared = ActorCritic()
    opt = torch.optim.SGD(shared.parameters(), lr=0.2)
    workers = [Worker(shared) for _ in range(2)]
    for w in workers:
        w.pull()
        s, a, ret = torch.randn(6, 4), torch.randint(0, 2, (6,)), torch.randn(6)
        w.rollout_loss(s, a, ret).backward()
        w.push()
        opt.step()
    return {n: p.detach() for n, p in shared.named_parameters()}


if __name__ == "__main__":
    main()
