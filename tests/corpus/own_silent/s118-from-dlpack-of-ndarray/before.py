import numpy as np
import torch


def sharpen(weights, power):
    """Turns mixing weights into a peaked distribution."""
    weights **= power
    weights /= weights.sum(axis=-1, keepdims=True)
    return weights.max()


def main():
    torch.manual_seed(171)
    mixing = np.full((4, 3), 1 / 3, dtype=np.float32)
    mixing[:, 0] += np.linspace(0, 0.2, 4, dtype=np.float32)
    experts = torch.nn.ModuleList(torch.nn.Linear(2, 1) for _ in range(3))
    x = torch.randn(4, 2)
    outs = torch.cat([e(x) for e in experts], dim=1)
    blended = (torch.from_dlpack(mixing) * outs).sum(1)
    peak = sharpen(mixing, 3)
    blended.pow(2).sum().backward()
    return {"peak": torch.tensor(float(peak)), **{n: p.grad for n, p in experts.named_parameters()}}


if __name__ == "__main__":
    main()
