import torch
import torch.nn as nn


class Denoiser(nn.Module):
    def __init__(self, dim, steps):
        super().__init__()
        self.time = nn.Embedding(steps, dim)
        self.net = nn.Sequential(nn.Linear(dim, 24), nn.SiLU(), nn.Linear(24, dim))
        alphas = torch.linspace(0.99, 0.5, steps)
        self.register_buffer("alpha_bar", alphas.cumprod(0))

    def loss(self, x0):
        t = torch.randint(0, len(self.alpha_bar), (len(x0),))
        a = self.alpha_bar[t].unsqueeze(1)
        noise = torch.randn_like(x0)
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        return nn.functional.mse_loss(self.net(xt + self.time(t)), noise)


class Accumulator:
    def __init__(self, model, every):
        self.model, self.every = model, every
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)
        self.seen, self.history = 0, []

    def feed(self, batch):
        loss = self.model.loss(batch)
        loss.data /= self.every
        loss.backward()
        self.history.append(loss.item())
        self.seen += 1
        if self.seen % self.every == 0:
            self.opt.step()
            self.opt.zero_grad()


def main():
    torch.manual_seed(33)
    trainer = Accumulator(Denoiser(4, 6), every=3)
    for _ in range(5):
        trainer.feed(torch.randn(6, 4))
    return {"history": torch.tensor(trainer.history), **{n: p.detach().clone() for n, p in trainer.model.named_parameters()}}


if __name__ == "__main__":
    main()
