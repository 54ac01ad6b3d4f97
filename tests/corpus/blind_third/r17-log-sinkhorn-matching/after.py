import torch
import torch.nn as nn


def log_sinkhorn(scores, n_iters=5, tau=0.3):
    log_p = scores / tau
    for _ in range(n_iters):
        log_p = log_p - torch.logsumexp(log_p, dim=-1, keepdim=True)
        log_p = log_p - torch.logsumexp(log_p, dim=-2, keepdim=True)
    return log_p.exp()


class KeypointMatcher(nn.Module):
    def __init__(self, d_in, d):
        super().__init__()
        self.proj = nn.Sequential(nn.Linear(d_in, d), nn.ReLU(), nn.Linear(d, d))

    def forward(self, desc_a, desc_b):
        fa = nn.functional.normalize(self.proj(desc_a), dim=-1)
        fb = nn.functional.normalize(self.proj(desc_b), dim=-1)
        return log_sinkhorn(torch.einsum("bnd,bmd->bnm", fa, fb))


def matching_nll(P, gt):
    picked = P.gather(-1, gt.unsqueeze(-1)).squeeze(-1)
    return -(picked + 1e-6).log().mean()


def main():
    torch.manual_seed(19)
    model = KeypointMatcher(5, 8)
    a = torch.randn(2, 6, 5)
    perm = torch.stack([torch.randperm(6) for _ in range(2)])
    b = torch.empty_like(a)
    b.scatter_(1, perm.unsqueeze(-1).expand_as(a), a)
    b += 0.05 * torch.randn_like(b)
    loss = matching_nll(model(a, b), perm)
    loss.backward()
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
