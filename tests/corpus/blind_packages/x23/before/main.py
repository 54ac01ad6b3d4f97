import torch

import robust
from robust import metrics


def main():
    torch.manual_seed(32)
    x = torch.randn(10, 3)
    y = x.sum(1).mul_(2.0)
    y[::4] += 5.0
    head = robust.RobustHead(3)
    loss, resid = head(x, y)
    loss.backward()
    print("w", [round(v, 6) for v in head.w.grad.tolist()])
    print("b", round(head.b.grad.item(), 6))
    print("outliers", metrics.outliers(resid))


if __name__ == "__main__":
    main()
