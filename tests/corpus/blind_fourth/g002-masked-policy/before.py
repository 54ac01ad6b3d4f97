import torch
import torch.nn as nn


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.trunk = nn.Linear(obs, 16)
        self.head = nn.Linear(16, actions)

    def restrict(self, probs, legal):
        probs *= legal
        return probs / probs.sum(-1, keepdim=True)

    def forward(self, obs, legal):
        probs = self.head(torch.tanh(self.trunk(obs))).softmax(-1)
        entropy = -(probs * probs.log()).sum(-1)
        return self.restrict(probs, legal), entropy


def main():
    torch.manual_seed(4)
    pi = Policy(5, 4)
    obs = torch.randn(6, 5)
    legal = (torch.rand(6, 4) > 0.3).float()
    legal[:, 0] = 1.0
    p, ent = pi(obs, legal)
    reward = torch.randn(6)
    logp = (p[:, 0] + 1e-8).log()
    loss = -(reward * logp).mean() - 0.01 * ent.mean()
    loss.backward()
    return {"trunk": pi.trunk.weight.grad, "head": pi.head.weight.grad}


if __name__ == "__main__":
    main()
