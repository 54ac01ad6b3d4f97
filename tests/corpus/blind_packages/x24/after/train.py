import torch
from torch.nn import functional as F

from vitlite.models.factory import build_model


CFG = dict(name="resmlp", dim=6, depth=3, drop_path=0.5)


def main():
    torch.manual_seed(33)
    model = build_model(CFG)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.randn(6, 6), torch.randint(0, 2, (6,))
    for _ in range(2):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    for n, p in model.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
