import torch
import torch.nn as nn


class RecurrentCritic(nn.Module):
    def __init__(self, obs, hid):
        super().__init__()
        self.inp, self.rec = nn.Linear(obs, hid), nn.Linear(hid, hid, bias=False)
        self.h0 = nn.Parameter(torch.randn(hid) * 0.5)
        self.value = nn.Linear(hid, 1)

    def reset_finished(self, h, done):
        return torch.where(done[:, None], self.h0, h)

    def forward(self, obs_seq, done_seq):
        T, B, _ = obs_seq.shape
        h = self.h0.repeat(B, 1)
        values = []
        for t in range(T):
            h = self.inp(obs_seq[t]) + self.rec(torch.tanh(h))
            values.append(self.value(torch.relu(h)).squeeze(-1))
            h = self.reset_finished(h, done_seq[t])
        return torch.stack(values)


def main():
    torch.manual_seed(110)
    net = RecurrentCritic(3, 5)
    obs = torch.randn(6, 4, 3)
    done = torch.rand(6, 4) < 0.3
    ret = torch.randn(6, 4)
    loss = 0.5 * (net(obs, done) - ret).pow(2).mean()
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
