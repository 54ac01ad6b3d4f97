import torch

from loop.cell import Cell
from loop.epoch import run_epoch


def main():
    torch.manual_seed(0)
    net = Cell()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    batches = [torch.randn(2, 3) for _ in range(3)]
    state = torch.zeros(2, 3)
    run_epoch(net, batches, optimizer, state)
    return {name: p.detach() for name, p in net.named_parameters()}


if __name__ == "__main__":
    main()
