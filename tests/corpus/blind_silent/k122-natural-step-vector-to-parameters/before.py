import torch
import torch.nn as nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class BacktrackingStep:
    def __init__(self, net, max_halvings=4):
        self.net, self.max_halvings = net, max_halvings

    def __call__(self, loss_fn, step: float) -> float:
        params = list(self.net.parameters())
        loss = loss_fn()
        direction = -torch.cat([g.flatten() for g in torch.autograd.grad(loss, params)])
        home = parameters_to_vector(params).detach().clone()
        best = loss.item()
        for _ in range(self.max_halvings):
            vector_to_parameters(home + step * direction, params)
            with torch.no_grad():
                new = loss_fn().item()
            if new < best:
                return new
            step *= 0.5
        vector_to_parameters(home, params)
        return best


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.mu = nn.Linear(3, 1)
        self.log_std = nn.Parameter(torch.zeros(1))

    def surrogate(self, obs, act, adv):
        logp = torch.distributions.Normal(self.mu(obs), self.log_std.exp()).log_prob(act).sum(1)
        return -(logp * adv).mean()


def main():
    torch.manual_seed(89)
    pi = Policy()
    obs, act, adv = torch.randn(12, 3), torch.randn(12, 1), torch.randn(12)
    search = BacktrackingStep(pi)
    losses = [search(lambda: pi.surrogate(obs, act, adv), step=1.0) for _ in range(3)]
    return {"loss": torch.tensor(losses), **{n: p.detach().clone() for n, p in pi.named_parameters()}}


if __name__ == "__main__":
    main()
