import torch
from torch import nn
import torch.nn.functional as F


def squash(s, dim=-1):
    norm2 = s.square().sum(dim=dim, keepdim=True)
    return norm2 / (1 + norm2) * s / (norm2 + 1e-8).sqrt()


class PrimaryCaps(nn.Module):
    def __init__(self, cin, caps, dim):
        super().__init__()
        self.caps = nn.ModuleList(nn.Conv2d(cin, dim, 3, stride=2) for _ in range(caps))

    def forward(self, x):
        u = torch.cat([c(x).flatten(2).transpose(1, 2) for c in self.caps], dim=1)
        return squash(u)


class RoutingCaps(nn.Module):
    def __init__(self, in_caps, in_dim, caps, dim, iterations=3):
        super().__init__()
        self.route = nn.Parameter(0.1 * torch.randn(1, in_caps, caps, dim, in_dim))
        self.iterations = iterations

    def predictions(self, u):
        return (self.route @ u[:, :, None, :, None]).squeeze(-1)

    def forward(self, u):
        u_hat = self.predictions(u)
        b_ij = u_hat.new_zeros(*u_hat.shape[:3], 1)
        for it in range(self.iterations):
            c_ij = F.softmax(b_ij, dim=2)
            v_j = squash((c_ij * u_hat).sum(dim=1, keepdim=True))
            if it < self.iterations - 1:
                b_ij = b_ij + (u_hat * v_j).sum(dim=-1, keepdim=True)
        return v_j.squeeze(1)


class CapsNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.primary = PrimaryCaps(4, 2, 4)
        self.digits = RoutingCaps(8, 4, classes, 3)

    def forward(self, x):
        return self.digits(self.primary(torch.relu(self.conv(x)))).norm(dim=-1)


def margin_loss(lengths, target):
    one_hot = F.one_hot(target, lengths.shape[1]).float()
    loss = one_hot * F.relu(0.9 - lengths).square() + 0.5 * (1 - one_hot) * F.relu(lengths - 0.1).square()
    return loss.sum(dim=1).mean()


def main():
    torch.manual_seed(0)
    net = CapsNet()
    margin_loss(net(torch.rand(2, 1, 7, 7)), torch.tensor([0, 2])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
