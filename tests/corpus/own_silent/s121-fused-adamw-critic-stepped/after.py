import torch
from torch import nn


class Agent(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, 6), nn.ReLU(), nn.Linear(6, act), nn.Tanh())
        self.q = nn.Sequential(nn.Linear(obs + act, 6), nn.ReLU(), nn.Linear(6, 1))

    def value(self, obs, act):
        return self.q(torch.cat((obs, act), dim=-1))

    def losses(self, obs, act, target):
        yield "q", nn.functional.mse_loss(self.value(obs, act), target)
        yield "pi", -self.value(obs, self.pi(obs)).mean()


def update(agent, optimizers, batch):
    for part, loss in agent.losses(*batch):
        for opt in optimizers.values():
            opt.zero_grad()
        loss.backward()
        optimizers[part].step()


def main():
    torch.manual_seed(201)
    agent = Agent(3, 2)
    optimizers = {
        "q": torch.optim.AdamW(agent.q.parameters(), lr=0.5, fused=True),
        "pi": torch.optim.AdamW(agent.pi.parameters(), lr=0.1, fused=True),
    }
    update(agent, optimizers, (torch.randn(8, 3), torch.randn(8, 2), torch.randn(8, 1)))
    return {n: p.grad for n, p in agent.pi.named_parameters()}


if __name__ == "__main__":
    main()
