import torch

from hourglass.zoo import hourglass_tiny


def main():
    torch.manual_seed(13)
    net = hourglass_tiny()
    img = torch.rand(1, 3, 16, 16)
    heat = net(img)
    loss = (heat - 0.5).abs().mean()
    loss.backward()
    total = 0.0
    for name, p in net.named_parameters():
        g = p.grad.norm().item()
        total += g
        print(f"{name:28s} {g:.6f}")


if __name__ == "__main__":
    main()
