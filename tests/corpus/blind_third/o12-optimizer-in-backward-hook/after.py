import torch
import torch.nn as nn


def sgd_in_backward(model, lr, log):
    """Apply SGD as soon as a gradient is ready and free it."""
    def hook(p):
        log.append(p.grad.norm())
        with torch.no_grad():
            p.copy_(p - lr * p.grad)
        p.grad = None

    return [p.register_post_accumulate_grad_hook(hook) for p in model.parameters()]


class TabularNet(nn.Module):
    def __init__(self, cards=(5, 3), d=4, n_num=3):
        super().__init__()
        self.embs = nn.ModuleList(nn.Embedding(c, d) for c in cards)
        self.mlp = nn.Sequential(nn.Linear(d * len(cards) + n_num, 12), nn.GELU(), nn.Linear(12, 1))

    def forward(self, cat, num):
        parts = [e(cat[:, i]) for i, e in enumerate(self.embs)]
        return self.mlp(torch.cat([*parts, num], dim=1)).squeeze(1)


def main():
    torch.manual_seed(212)
    net, log = TabularNet(), []
    handles = sgd_in_backward(net, 0.05, log)
    for _ in range(3):
        cat = torch.stack([torch.randint(0, 5, (8,)), torch.randint(0, 3, (8,))], 1)
        num, y = torch.randn(8, 3), torch.rand(8).round()
        nn.functional.binary_cross_entropy_with_logits(net(cat, num), y).backward()
    for h in handles:
        h.remove()
    return {**{n: p.detach() for n, p in net.named_parameters()}, "norms": torch.stack(log)}


if __name__ == "__main__":
    main()
