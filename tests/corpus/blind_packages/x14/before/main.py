import torch

from mixer import MLPMixer


def main():
    torch.manual_seed(6)
    net = MLPMixer(tokens=5, dim=8, depth=2)
    x = torch.randn(3, 5, 8)
    y = net(x)
    y.square().mean().backward()
    for n, p in net.named_parameters():
        print(n, f"{p.grad.norm():.6f}")


if __name__ == "__main__":
    main()
