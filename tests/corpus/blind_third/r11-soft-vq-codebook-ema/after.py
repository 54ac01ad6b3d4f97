import torch
import torch.nn as nn


class SoftVQ(nn.Module):
    def __init__(self, n_codes, dim, decay=0.9, tau=0.5):
        super().__init__()
        self.register_buffer("codebook", torch.randn(n_codes, dim))
        self.decay, self.tau = decay, tau

    @torch.no_grad()
    def ema_update(self, z, assign):
        counts = assign.sum(0).clamp_(min=1e-3)
        means = assign.t() @ z / counts[:, None]
        self.codebook.mul_(self.decay).add_(means, alpha=1 - self.decay)

    def forward(self, z):
        codes = self.codebook.clone()
        logits = z @ codes.t() - 0.5 * codes.pow(2).sum(1)
        assign = (logits / self.tau).softmax(-1)
        quant = assign @ codes
        if self.training:
            self.ema_update(z.detach(), assign.detach())
        return quant, (quant - z).pow(2).mean()


class Tokenizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(6, 12), nn.SiLU(), nn.Linear(12, 4))
        self.vq = SoftVQ(8, 4)
        self.dec = nn.Sequential(nn.Linear(4, 12), nn.SiLU(), nn.Linear(12, 6))

    def forward(self, x):
        q, commit = self.vq(self.enc(x))
        return self.dec(q), commit


def main():
    torch.manual_seed(2)
    model = Tokenizer()
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(16, 6)
    rec, commit = model(x)
    loss = (rec - x).pow(2).mean() + 0.25 * commit
    opt.zero_grad()
    loss.backward()
    return {**{n: p.grad.clone() for n, p in model.named_parameters()}, "codebook": model.vq.codebook.clone()}


if __name__ == "__main__":
    main()
