import torch
import torch.nn as nn
import torch.nn.functional as F


class Quantize(nn.Module):
    def __init__(self, dim, n_embed, decay=0.8, eps=1e-5):
        super().__init__()
        self.decay, self.eps, self.n_embed = decay, eps, n_embed
        embed = torch.randn(dim, n_embed)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(n_embed))
        self.register_buffer("embed_avg", embed.clone())

    def _update(self, flatten, onehot):
        onehot_sum = onehot.sum(0)
        embed_sum = flatten.detach().t() @ onehot
        self.cluster_size.data.mul_(self.decay).add_(onehot_sum, alpha=1 - self.decay)
        self.embed_avg.data.mul_(self.decay).add_(embed_sum, alpha=1 - self.decay)
        n = self.cluster_size.sum()
        size = (self.cluster_size + self.eps) / (n + self.n_embed * self.eps) * n
        self.embed.data.copy_(self.embed_avg / size.unsqueeze(0))

    def forward(self, z):
        flatten = z.reshape(-1, z.size(-1))
        dist = flatten.pow(2).sum(1, keepdim=True) - 2 * flatten @ self.embed + self.embed.pow(2).sum(0, keepdim=True)
        ind = (-dist).argmax(1)
        onehot = F.one_hot(ind, self.n_embed).type(flatten.dtype)
        quant = F.embedding(ind, self.embed.t()).view_as(z)
        if self.training:
            self._update(flatten, onehot)
        diff = (quant.detach() - z).pow(2).mean()
        return z + (quant - z).detach(), diff


class VQ(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc, self.q, self.dec = nn.Linear(6, 3), Quantize(3, 5), nn.Linear(3, 6)

    def forward(self, x):
        z, diff = self.q(self.enc(x))
        return self.dec(z), diff


def main():
    torch.manual_seed(7)
    net = VQ()
    total = 0.0
    for x in torch.randn(3, 8, 6):
        out, diff = net(x)
        total = total + F.mse_loss(out, x) + 0.25 * diff
    total.backward()
    return {"embed": net.q.embed, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
