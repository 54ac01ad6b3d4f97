import torch
import torch.nn as nn


class Denoiser(nn.Module):
    def __init__(self, ch=2):
        super().__init__()
        self.temb = nn.Embedding(10, 8)
        self.c1 = nn.Conv2d(ch, 8, 3, padding=1)
        self.c2 = nn.Conv2d(8, ch, 3, padding=1)

    def forward(self, x, t):
        h = self.c1(x) + self.temb(t)[:, :, None, None]
        return self.c2(nn.functional.silu(h))


class DDIM:
    def __init__(self, steps=10):
        betas = torch.linspace(1e-3, 0.2, steps)
        self.abar = torch.cumprod(1 - betas, 0)

    def sample(self, model, x, timesteps):
        for t, s in zip(timesteps[:-1], timesteps[1:]):
            a_t, a_s = self.abar[t], self.abar[s]
            eps = model(x, torch.full((x.shape[0],), t))
            x.sub_((1 - a_t).sqrt() * eps).div_(a_t.sqrt())
            x.mul_(a_s.sqrt()).add_((1 - a_s).sqrt() * eps)
        return x


def aesthetic_reward(img):
    return -(img.mean((1, 2, 3)) - 0.5).pow(2) - 0.1 * img.var((1, 2, 3))


def main():
    torch.manual_seed(14)
    model, sched = Denoiser(), DDIM()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x_T = torch.randn(2, 2, 6, 6)
    img = sched.sample(model, x_T.clone(), [9, 6, 3, 0])
    loss = -aesthetic_reward(img).mean()
    opt.zero_grad()
    loss.backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
