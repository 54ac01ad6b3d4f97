import torch
import torch.nn as nn


class CartLike:
    def __init__(self, n):
        self.state = torch.zeros(n, 2)

    def observe(self):
        return self.state

    def step(self, force):
        self.state[:, 1] += 0.1 * force
        self.state[:, 0] += 0.1 * self.state[:, 1]
        return 1.0 - self.state[:, 0].abs()


class Storage:
    def __init__(self):
        self.obs, self.act, self.rew = [], [], []

    def add(self, **kw):
        for k, v in kw.items():
            getattr(self, k).append(v.clone())

    def stacked(self):
        return tuple(torch.stack(v) for v in (self.obs, self.act, self.rew))


def main():
    torch.manual_seed(45)
    pi = nn.Linear(2, 2)
    env, store = CartLike(4), Storage()
    for _ in range(6):
        with torch.no_grad():
            a = torch.distributions.Categorical(logits=pi(env.observe())).sample()
        store.add(obs=env.observe(), act=a, rew=env.step(a.float() * 2 - 1))
    obs, act, rew = store.stacked()
    adv = rew - rew.mean()
    loss = (nn.functional.cross_entropy(pi(obs).flatten(0, 1), act.flatten(), reduction="none") * adv.flatten()).mean()
    loss.backward()
    return {"w": pi.weight.grad}


if __name__ == "__main__":
    main()
