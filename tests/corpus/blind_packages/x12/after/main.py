import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "src"))

import torch  # noqa: E402

from graphnet import GraphNet, ring_graph  # noqa: E402


def main():
    torch.manual_seed(9)
    net = GraphNet(5, layers=2)
    x = torch.randn(6, 5)
    out = net(x, ring_graph(6))
    out.var().backward()
    for k, p in net.named_parameters():
        print(k, round(p.grad.norm().item(), 6))


if __name__ == "__main__":
    main()
