import torch

from inplace_abn_lite.net import make_net
from inplace_abn_lite.presets import SMALL


def main():
    torch.manual_seed(56)
    net = make_net(**SMALL)
    img = torch.rand(2, 3, 6, 6)
    loss = net(img).logsumexp(1).mean()
    loss.backward()
    for n, p in net.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
