import torch

from tapnet import make
from tapnet.taps import tapped


def main():
    torch.manual_seed(58)
    net = make("tap_small")
    x = torch.randn(4, 3, 5, 5)
    with tapped(net, {"Linear": "scale", "BatchNorm2d": "mask"}) as seen:
        out = net(x)
    loss = out.square().mean()
    loss.backward()
    print("tapped", seen)
    for n, p in net.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
