import torch

from fnlib.layers import FeedForward


def main():
    torch.manual_seed(5)
    net = FeedForward(6, 10)
    x = torch.randn(4, 6)
    out, aux = net(x)
    loss = out.square().sum() + aux
    loss.backward()
    for n, p in net.named_parameters():
        print(n, [round(v, 5) for v in p.grad.flatten()[:4].tolist()])


if __name__ == "__main__":
    main()
