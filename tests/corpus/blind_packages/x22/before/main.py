import torch

from depthnet.model import DepthNet
from depthnet.vis import FeatureLog


def main():
    torch.manual_seed(31)
    log = FeatureLog(every=1)
    net = DepthNet(width=4, log=log)
    img = torch.rand(1, 3, 8, 8)
    depth = net(img)
    loss = (depth - 1.0).square().mean()
    loss.backward()
    print("loss", f"{loss.item():.6f}")
    for n, p in net.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")
    print("logged", sorted(log.images))


if __name__ == "__main__":
    main()
