import torch
from torch import nn


class LeakyRNN(nn.Module):
    """Leaky-integrator RNN used for the cursor decoding task."""

    def __init__(self, n_in, n_rec, n_out, dt=0.2):
        super().__init__()
        self.W_in = nn.Linear(n_in, n_rec, bias=False)
        self.W_rec = nn.Linear(n_rec, n_rec)
        self.readout = nn.Linear(n_rec, n_out)
        self.dt, self.n_rec = dt, n_rec

    def forward(self, spikes):
        steps, batch, _ = spikes.shape
        hs = torch.zeros(steps + 1, batch, self.n_rec)
        for t in range(steps):
            drive = self.W_in(spikes[t]) + self.W_rec(hs[t])
            hs[t + 1] = (1 - self.dt) * hs[t] + self.dt * torch.tanh(drive)
        return self.readout(hs[1:]), hs[1:]


def train_step(model, opt, spikes, cursor, l2_rate=1e-2):
    opt.zero_grad(set_to_none=True)
    pred, rates = model(spikes)
    loss = (pred - cursor).pow(2).mean()
    loss += l2_rate * rates.pow(2).mean()
    loss.backward()
    grads = {n: p.grad.clone() for n, p in model.named_parameters()}
    opt.step()
    return loss.item(), grads


def main():
    torch.manual_seed(21)
    model = LeakyRNN(5, 7, 2)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    spikes = (torch.rand(6, 4, 5) < 0.3).float()
    cursor = torch.randn(6, 4, 2)
    _, grads = train_step(model, opt, spikes, cursor)
    return grads


if __name__ == "__main__":
    main()
