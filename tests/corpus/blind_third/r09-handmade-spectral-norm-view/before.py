import torch
import torch.nn as nn
import torch.nn.functional as F


class SNConv1d(nn.Module):
    def __init__(self, c_in, c_out, k):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(c_out, c_in, k) * 0.2)
        self.bias = nn.Parameter(torch.zeros(c_out))
        self.register_buffer("u", F.normalize(torch.randn(c_out), dim=0))

    def sn_weight(self):
        w = self.weight.view(self.weight.shape[0], -1)
        with torch.no_grad():
            v = F.normalize(w.t() @ self.u, dim=0)
            self.u.copy_(F.normalize(w @ v, dim=0))
        sigma = torch.dot(self.u.clone(), w @ v)
        w.div_(sigma)
        return w.view_as(self.weight)

    def forward(self, x):
        return F.conv1d(x, self.sn_weight(), self.bias, padding=1)


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = SNConv1d(1, 4, 3), SNConv1d(4, 8, 3)
        self.fc = nn.Linear(8, 1)

    def forward(self, wave):
        h = F.leaky_relu(self.c1(wave), 0.2)
        h = F.leaky_relu(self.c2(h), 0.2)
        return self.fc(h.mean(-1))


def main():
    torch.manual_seed(5)
    D = Critic()
    real, fake = torch.randn(4, 1, 10), torch.randn(4, 1, 10) * 0.3
    loss = F.relu(1 - D(real)).mean() + F.relu(1 + D(fake)).mean()
    loss.backward()
    return {n: p.grad.clone() for n, p in D.named_parameters()}


if __name__ == "__main__":
    main()
