import torch
from torch import nn


class ClipInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bound):
        ctx.save_for_backward(x.abs() < bound)
        x.clamp_(-bound, bound)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside, None


class GaussianPolicy(nn.Module):
    def __init__(self, d, actions):
        super().__init__()
        self.fc = nn.Linear(d, 2 * actions)

    def forward(self, obs):
        mean, log_std = self.fc(obs).chunk(2, dim=-1)
        log_std = ClipInPlace.apply(log_std.clone(), 0.5)
        return torch.distributions.Normal(mean, log_std.exp())


def main():
    torch.manual_seed(91)
    policy = GaussianPolicy(3, 2)
    dist = policy(torch.randn(4, 3))
    dist.log_prob(torch.zeros(4, 2)).sum().neg().backward()
    return {n: p.grad.clone() for n, p in policy.named_parameters()}


if __name__ == "__main__":
    main()
