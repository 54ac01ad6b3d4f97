import torch
from torch import nn


class Standardise:
    def __init__(self, dims=(0,), eps=1e-5):
        self.dims, self.eps = dims, eps

    def __call__(self, x):
        mu = x.mean(self.dims, keepdim=True)
        sigma = (x.var(self.dims, keepdim=True) + self.eps).sqrt()
        return x.sub_(mu).div_(sigma)


class BarlowHead(nn.Module):
    def __init__(self, encoder, whiten=Standardise()):
        super().__init__()
        self.encoder = encoder
        self.whiten = whiten

    def forward(self, view_a, view_b):
        za, zb = (self.whiten(self.encoder(v)) for v in (view_a, view_b))
        corr = za.T @ zb / len(za)
        return (corr - torch.eye(corr.shape[0])).square().sum()


def main():
    torch.manual_seed(36)
    head = BarlowHead(nn.Linear(5, 3))
    head(torch.randn(8, 5), torch.randn(8, 5)).backward()
    return {n: p.grad.clone() for n, p in head.named_parameters()}


if __name__ == "__main__":
    main()
