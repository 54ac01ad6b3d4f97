import torch
import torch.nn as nn
import torch.nn.functional as F


def l2normalize(v, eps=1e-12):
    return v / (v.norm() + eps)


class SpectralLinear(nn.Linear):
    def __init__(self, d_in, d_out, power_iterations=2):
        super().__init__(d_in, d_out)
        self.power_iterations = power_iterations
        self.u = nn.Parameter(l2normalize(torch.randn(d_out)), requires_grad=False)
        self.v = nn.Parameter(l2normalize(torch.randn(d_in)), requires_grad=False)

    def _update_u_v(self):
        w = self.weight.data
        for _ in range(self.power_iterations):
            self.v = nn.Parameter(l2normalize(torch.mv(w.t(), self.u)), requires_grad=False)
            self.u = nn.Parameter(l2normalize(torch.mv(w, self.v)), requires_grad=False)
        return self.weight / self.u.dot(self.weight.mv(self.v))

    def forward(self, x):
        return F.linear(x, self._update_u_v(), self.bias)


class Critic(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.f = nn.Sequential(SpectralLinear(d, 6), nn.LeakyReLU(0.1), SpectralLinear(6, 1))

    def forward(self, x):
        return self.f(x).squeeze(1)


def hinge(critic, real, fake):
    return F.relu(1 - critic(real)).mean(), lambda: F.relu(1 + critic(fake)).mean()


def main():
    torch.manual_seed(139)
    critic = Critic(3)
    on_real, on_fake = hinge(critic, torch.randn(8, 3), torch.randn(8, 3) + 1)
    on_real.backward()
    on_fake().backward()
    return {n: p.grad for n, p in critic.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
