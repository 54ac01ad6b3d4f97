import torch
from torch import nn


def run_epoch(net, opt, batches, accumulate):
    total = torch.zeros(())
    for step, (x, y) in enumerate(batches, 1):
        loss = nn.functional.l1_loss(net(x), y)
        loss = loss / accumulate
        loss.backward()
        total = total + loss.detach()
        if not step % accumulate:
            opt.step()
            opt.zero_grad()
    return total / (len(batches) / accumulate)


def main():
    torch.manual_seed(45)
    net = nn.Sequential(nn.Linear(4, 4), nn.ELU(), nn.Linear(4, 1))
    opt = torch.optim.Adagrad(net.parameters(), lr=0.1)
    batches = [(torch.randn(3, 4), torch.randn(3, 1)) for _ in range(5)]
    mean = run_epoch(net, opt, batches, 2)
    return {"mean": mean, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
