import numpy as np
import torch
import torch.nn as nn


def export_int8(module):
    """Write the deployment snapshot; returns {name: (int8 array, scale)}."""
    blob = {}
    for name, p in module.named_parameters():
        arr = np.from_dlpack(p.detach())
        scale = float(np.abs(arr).max()) / 7.0
        arr /= scale
        np.rint(arr, out=arr)
        blob[name] = (arr.astype(np.int8), scale)
        arr *= scale
    return blob


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.l1, self.l2 = nn.Linear(4, 10), nn.Linear(10, 2)

    def forward(self, s):
        return self.l2(torch.tanh(self.l1(s)))


def main():
    torch.manual_seed(105)
    net = Policy()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    snapshots = []
    for step in range(2):
        s, a = torch.randn(7, 4), torch.randint(0, 2, (7,))
        loss = nn.functional.cross_entropy(net(s), a)
        if step % 2 == 1:
            snapshots.append(export_int8(net))
        opt.zero_grad()
        loss.backward()
        opt.step()
    assert snapshots
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
