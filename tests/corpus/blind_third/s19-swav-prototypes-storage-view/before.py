import torch
import torch.nn as nn
import torch.nn.functional as F


class Prototypes(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(k, d))

    def forward(self, z):
        return z @ self.weight.t()

    def normalise_rows(self):
        raw = torch.empty(0).set_(self.weight.untyped_storage(), 0, self.weight.shape, self.weight.stride())
        raw.div_(raw.norm(dim=1, keepdim=True))


@torch.no_grad()
def sinkhorn_codes(scores, eps=0.5, iters=3):
    Q = torch.exp(scores / eps).t()
    Q /= Q.sum()
    for _ in range(iters):
        Q /= Q.sum(1, keepdim=True) * Q.shape[0]
        Q /= Q.sum(0, keepdim=True) * Q.shape[1]
    return (Q * Q.shape[1]).t()


def swav_loss(backbone, protos, a, b, tau=0.3):
    sa, sb = (protos(F.normalize(backbone(v), dim=1)) for v in (a, b))
    qa, qb = sinkhorn_codes(sa.detach()), sinkhorn_codes(sb.detach())
    return -0.5 * ((qb * F.log_softmax(sa / tau, 1)).sum(1) + (qa * F.log_softmax(sb / tau, 1)).sum(1)).mean()


def main():
    torch.manual_seed(119)
    backbone, protos = nn.Sequential(nn.Linear(5, 10), nn.ReLU(inplace=True), nn.Linear(10, 4)), Prototypes(4, 6)
    opt = torch.optim.SGD([*backbone.parameters(), *protos.parameters()], lr=0.1)
    for _ in range(2):
        x = torch.randn(8, 5)
        loss = swav_loss(backbone, protos, x, x + 0.1 * torch.randn_like(x))
        protos.normalise_rows()
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {n: p.grad for n, p in [*backbone.named_parameters(), *protos.named_parameters()]}


if __name__ == "__main__":
    main()
