import torch
from torch import nn


class RecurrentPolicy(nn.Module):
    def __init__(self, obs, hidden, actions):
        super().__init__()
        self.core = nn.GRUCell(obs, hidden)
        self.logits = nn.Linear(hidden, actions)
        self._hidden = None

    @property
    def hidden(self):
        return self._hidden

    def reset(self, batch):
        self._hidden = torch.zeros(batch, self.core.hidden_size)

    def act(self, obs):
        self._hidden = self.core(obs, self._hidden)
        return torch.log_softmax(self.logits(self.hidden), -1)

    def on_done(self, done):
        self._hidden = self.hidden.masked_fill(done[:, None], 0.0)


def rollout(policy, observations, dones):
    policy.reset(observations.shape[1])
    logps = []
    for obs, done in zip(observations, dones):
        logps.append(policy.act(obs).amax(-1))
        if done.any():
            policy.on_done(done)
    return torch.stack(logps)


def main():
    torch.manual_seed(68)
    policy = RecurrentPolicy(3, 4, 2)
    dones = torch.tensor([[False, False], [True, False], [False, True]])
    logp = rollout(policy, torch.randn(3, 2, 3), dones)
    (-logp.sum()).backward()
    return {n: p.grad.clone() for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
