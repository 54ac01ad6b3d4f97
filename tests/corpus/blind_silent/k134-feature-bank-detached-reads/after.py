from typing import Dict

import torch
import torch.nn as nn
import torch.nn.functional as F


class FeatureTap:
    def __init__(self, net: nn.Module, *names: str):
        self.store: Dict[str, torch.Tensor] = {}
        for name in names:
            net.get_submodule(name).register_forward_hook(lambda m, i, o, key=name: self.store.__setitem__(key, o.detach()))


class Bank:
    def __init__(self, size, dim):
        self.rows = F.normalize(torch.randn(size, dim), dim=1)
        self.ptr = 0

    def read(self):
        return self.rows.clone()

    def enqueue(self, keys):
        end = self.ptr + len(keys)
        self.rows = torch.cat([self.rows[:self.ptr], keys, self.rows[end:]])
        self.ptr = end % len(self.rows)


def contrast(q, k, negatives, t=0.2):
    pos = (q * k).sum(1, keepdim=True)
    logits = torch.cat([pos, q @ negatives.t()], dim=1) / t
    return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


def main():
    torch.manual_seed(151)
    enc = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 4))
    tap, bank = FeatureTap(enc, "2"), Bank(8, 4)
    total, means = 0.0, []
    for x in torch.randn(3, 4, 5):
        with torch.no_grad():
            k = F.normalize(enc(x.flip(1)), dim=1)
        q = F.normalize(enc(x), dim=1)
        total = total + contrast(q, k, bank.read())
        bank.enqueue(k)
        means.append(tap.store["2"].mean(0))
    total.backward()
    return {"bank": bank.rows, "means": torch.stack(means), **{n: p.grad for n, p in enc.named_parameters()}}


if __name__ == "__main__":
    main()
