import torch

from senet import create, hooks
from senet.cfg import CONFIG


def main():
    torch.manual_seed(16)
    model = create(CONFIG)
    handles = hooks.attach(model, CONFIG["hook"])
    x = torch.randn(2, 3, 8, 8)
    loss = model(x).square().mean()
    loss.backward()
    for n, p in model.named_parameters():
        print(n, f"{p.grad.norm().item():.7f}")
    for h in handles:
        h.remove()


if __name__ == "__main__":
    main()
