import torch
import torch.nn as nn


class TransitionModel(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.unnormalized = nn.Parameter(torch.randn(states, states))

    def matrix(self):
        return self.unnormalized.softmax(dim=1)


class EmissionModel(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.unnormalized = nn.Parameter(torch.randn(states, symbols))

    def forward(self, symbols):
        return self.unnormalized.softmax(dim=1)[:, symbols].permute(1, 2, 0)


class HMM(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.states = states
        self.transition = TransitionModel(states)
        self.emission = EmissionModel(states, symbols)
        self.prior = nn.Parameter(torch.zeros(states))

    def forward_probs(self, x):
        batch, steps = x.shape
        table = torch.zeros(batch, steps, self.states)
        emitted = self.emission(x)
        moves = self.transition.matrix()
        table[:, 0] = self.prior.softmax(dim=0) * emitted[:, 0]
        for t in range(1, steps):
            table[:, t] = (table[:, t - 1] @ moves) * emitted[:, t]
        return table

    def log_likelihood(self, x, lengths):
        table = self.forward_probs(x)
        last = table.sum(dim=2).gather(1, (lengths - 1).unsqueeze(1))
        return last.log().squeeze(1)


def fit(model, data, lengths, epochs=1):
    opt = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(epochs):
        opt.zero_grad()
        loss = -model.log_likelihood(data, lengths).mean()
        loss.backward()
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(0)
    model = HMM(states=3, symbols=5)
    data = torch.randint(0, 5, (4, 6))
    loss = fit(model, data, torch.tensor([6, 4, 5, 6]))
    return {"loss": loss, **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
