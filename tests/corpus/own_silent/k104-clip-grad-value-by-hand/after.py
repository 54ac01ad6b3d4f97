import torch
from torch import nn


def clip_by_value(parameters, limit):
    for p in parameters:
        if p.grad is not None:
            p.grad = p.grad.clamp(-limit, limit)


def rescale(parameters, max_norm):
    owners = [p for p in parameters if p.grad is not None]
    total = torch.sqrt(sum(p.grad.pow(2).sum() for p in owners))
    if total > max_norm:
        for p in owners:
            p.grad = p.grad * (max_norm / (total + 1e-6))
    return total


def main():
    torch.manual_seed(35)
    rnn, out = nn.LSTM(2, 4, batch_first=True), nn.Linear(4, 1)
    params = [*rnn.parameters(), *out.parameters()]
    opt = torch.optim.SGD(params, lr=0.5, momentum=0.9, nesterov=True)
    for _ in range(2):
        opt.zero_grad()
        y, _ = rnn(torch.randn(3, 5, 2))
        (out(y) - 3).pow(2).sum().backward()
        clip_by_value(params, 1.0)
        norm = rescale(params, 0.5)
        opt.step()
    return {"norm": norm, "out": out.weight, "hh": rnn.weight_hh_l0}


if __name__ == "__main__":
    main()
