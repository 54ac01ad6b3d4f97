import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


def parse(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=3)
    ap.add_argument("--clip", type=float, default=0.2)
    ap.add_argument("--lr", type=float, default=1e-2)
    return ap.parse_args(argv)


class ActorCritic(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, actions), nn.Linear(16, 1)

    def forward(self, x):
        z = self.trunk(x)
        return F.log_softmax(self.pi(z), -1), self.v(z).squeeze(-1)


def main(argv=()):
    args = parse(list(argv))
    torch.manual_seed(0)
    model = ActorCritic(4, 3)
    opt = torch.optim.Adam(model.parameters(), lr=args.lr)
    obs, act, ret = torch.randn(10, 4), torch.randint(0, 3, (10, 1)), torch.randn(10)
    logp_all, value = model(obs)
    old_logp = logp_all.gather(1, act).squeeze(1).detach()
    adv = ret - value

    for _ in range(args.epochs):
        logp_all, value = model(obs)
        ratio = (logp_all.gather(1, act).squeeze(1) - old_logp).exp()
        surrogate = torch.min(ratio * adv, ratio.clamp(1 - args.clip, 1 + args.clip) * adv)
        loss = -surrogate.mean() + 0.5 * F.mse_loss(value, ret)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
