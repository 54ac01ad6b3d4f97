import torch
import torch.nn as nn


class SiameseTower(nn.Module):
    def __init__(self, n_words=20, d=6):
        super().__init__()
        self.emb = nn.EmbeddingBag(n_words, d, mode="mean")
        self.mlp = nn.Sequential(nn.Linear(d, 10), nn.ReLU(inplace=True), nn.Linear(10, d), nn.Tanh())

    def forward(self, ids):
        return self.mlp(self.emb(ids))


def attach_l2_norm(module):
    def unit(_mod, _inp, out):
        return out.div(out.norm(dim=-1, keepdim=True).clamp_min(1e-6))
    return module.register_forward_hook(unit)


def info_nce(q, k, tau=0.1):
    logits = q @ k.t()
    logits /= tau
    return nn.functional.cross_entropy(logits, torch.arange(len(q)))


def main():
    torch.manual_seed(47)
    tower = SiameseTower()
    handle = attach_l2_norm(tower)
    query, doc = torch.randint(0, 20, (4, 5)), torch.randint(0, 20, (4, 7))
    loss = info_nce(tower(query), tower(doc))
    loss.backward()
    handle.remove()
    return {n: p.grad.clone() for n, p in tower.named_parameters()}


if __name__ == "__main__":
    main()
