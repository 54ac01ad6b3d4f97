import torch
import torch.nn as nn


class RecurrentPolicy(nn.Module):
    def __init__(self, obs, hidden, actions):
        super().__init__()
        self.rnn = nn.GRUCell(obs, hidden)
        self.pi, self.v = nn.Linear(hidden, actions), nn.Linear(hidden, 1)

    def forward(self, obs, h):
        h = self.rnn(obs, h)
        return self.pi(h).log_softmax(-1), self.v(h).squeeze(-1), h


class Worker:
    def __init__(self, envs, obs, seed):
        self.gen = torch.Generator().manual_seed(seed)
        self.envs, self.obs = envs, obs

    def steps(self, n):
        for _ in range(n):
            yield (torch.randn(self.envs, self.obs, generator=self.gen),
                   torch.randn(self.envs, generator=self.gen),
                   torch.rand(self.envs, generator=self.gen) < 0.3)


def next_state(h, done):
    h = h.detach().clone()
    h[done] = 0.0
    return h


def train(policy, worker, rollouts, length):
    opt = torch.optim.Adam(policy.parameters(), lr=0.01)
    h = torch.zeros(worker.envs, policy.rnn.hidden_size)
    for _ in range(rollouts):
        loss = torch.zeros(())
        for obs, reward, done in worker.steps(length):
            logp, value, out = policy(obs, h)
            adv = (reward - value).detach()
            loss += ((value - reward) ** 2 - adv * logp[:, 0]).mean()
            h = next_state(out, done)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(99)
    policy = RecurrentPolicy(3, 5, 2)
    loss = train(policy, Worker(4, 3, seed=8), rollouts=2, length=3)
    return {"loss": loss, **{n: p.grad for n, p in policy.named_parameters()}}


if __name__ == "__main__":
    main()
