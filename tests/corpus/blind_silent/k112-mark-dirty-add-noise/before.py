import torch
import torch.nn as nn


class JitterInPlace(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale, noise):
        ctx.save_for_backward(noise)
        x.addcmul_(noise, scale.expand_as(x))
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        (noise,) = ctx.saved_tensors
        return grad, (grad * noise).sum(0), None


class NoisyLinear(nn.Module):
    def __init__(self, d_in, d_out, seed):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out)
        self.sigma = nn.Parameter(torch.full((d_out,), 0.1))
        self.gen = torch.Generator().manual_seed(seed)

    def forward(self, x):
        out = self.lin(x)
        if self.training:
            out = JitterInPlace.apply(out, self.sigma, torch.randn(out.shape, generator=self.gen))
        return out


class NoisyDQN(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = NoisyLinear(obs, 6, seed=0)
        self.value, self.adv = NoisyLinear(6, 1, seed=1), NoisyLinear(6, actions, seed=2)

    def forward(self, x):
        h = torch.relu(self.body(x))
        a = self.adv(h)
        return self.value(h) + a - a.mean(1, keepdim=True)


def main():
    torch.manual_seed(43)
    net = NoisyDQN(4, 3)
    net(torch.randn(5, 4)).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
