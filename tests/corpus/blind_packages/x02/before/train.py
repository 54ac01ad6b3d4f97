import torch
import torch.nn.functional as F

from gatednet import build_model
from gatednet.defaults import CFG


def main():
    torch.manual_seed(CFG["seed"])
    model = build_model(CFG)
    opt = torch.optim.SGD(model.parameters(), lr=CFG["lr"], momentum=0.9)
    x = torch.randn(4, 3, 8, 8)
    y = torch.tensor([0, 1, 2, 1])
    for step in range(2):
        opt.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        opt.step()
        print(step, round(loss.item(), 6), round(model.stem.weight.grad.norm().item(), 6))


if __name__ == "__main__":
    main()
