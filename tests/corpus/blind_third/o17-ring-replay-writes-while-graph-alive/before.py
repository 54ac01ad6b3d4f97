import torch
import torch.nn as nn


class RingReplay:
    def __init__(self, cap, obs, act):
        self.obs, self.next_obs = torch.zeros(cap, obs), torch.zeros(cap, obs)
        self.act, self.rew = torch.zeros(cap, act), torch.zeros(cap)
        self.cap, self.ptr, self.full = cap, 0, False

    def push(self, o, a, r, o2):
        i = self.ptr
        self.obs[i].copy_(o)
        self.next_obs[i].copy_(o2)
        self.act[i] = a
        self.rew[i] = r
        self.ptr = (i + 1) % self.cap
        self.full |= self.ptr == 0

    def sample(self, n, gen):
        hi = self.cap if self.full else self.ptr
        idx = torch.randint(0, hi, (n,), generator=gen)
        return self.obs[idx], self.act[idx], self.rew[idx], self.next_obs[idx]


def main():
    torch.manual_seed(217)
    gen = torch.Generator().manual_seed(0)
    buf = RingReplay(6, 3, 1)
    q = nn.Sequential(nn.Linear(4, 12), nn.ReLU(), nn.Linear(12, 1))
    opt = torch.optim.Adam(q.parameters(), lr=1e-2)
    for _ in range(6):
        buf.push(torch.randn(3), torch.randn(1), torch.randn(()), torch.randn(3))
    for _ in range(3):
        o, a, r, o2 = buf.sample(5, gen)
        with torch.no_grad():
            y = r + 0.9 * q(torch.cat([o2, a], -1)).squeeze(-1)
        loss = (q(torch.cat([o, a], -1)).squeeze(-1) - y).pow(2).mean() + 1e-2 * q[0](torch.cat([o, o2[:, :1]], -1)).pow(2).mean()
        for _ in range(2):
            buf.push(torch.randn(3), torch.randn(1), torch.randn(()), torch.randn(3))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {n: p.grad for n, p in q.named_parameters()}


if __name__ == "__main__":
    main()
