import torch

from siamese.model import Siamese
from siamese.augment import two_views


def main():
    torch.manual_seed(8)
    model = Siamese(6, 4)
    x = torch.randn(10, 6)
    a, b = two_views(x)
    za = model(a)
    zb = model(b)
    loss = (za - zb).pow(2).sum(1).mean() - 0.1 * za.var(0).sum()
    loss.backward()
    for n, p in model.named_parameters():
        print(n, [round(v, 6) for v in p.grad.flatten()[:3].tolist()])
    print("sigma", [round(v, 6) for v in model.scale.sigma.tolist()])


if __name__ == "__main__":
    main()
