import torch
import torch.nn as nn


def aggregate(clients):
    merged = {k: v.clone() for k, v in clients[0].state_dict().items()}
    for c in clients[1:]:
        for k, v in c.state_dict().items():
            merged[k] += v
    for k in merged:
        merged[k] /= len(clients)
    return merged


def local_round(model, x, y, anchor=None, lr=0.1):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    for _ in range(2):
        loss = (model(x) - y).square().mean()
        if anchor is not None:
            prox = sum((p - anchor[n]).square().sum() for n, p in model.named_parameters())
            loss = loss + 0.5 * prox
        opt.zero_grad()
        loss.backward()
        opt.step()


def main():
    torch.manual_seed(24)
    clients = [nn.Linear(3, 1) for _ in range(3)]
    data = [(torch.randn(8, 3), torch.randn(8, 1)) for _ in clients]
    anchor = None
    for _ in range(3):
        for c, (x, y) in zip(clients, data):
            local_round(c, x, y, anchor)
        anchor = aggregate(clients)
    return {"server": anchor["weight"], "c0": clients[0].weight.detach()}


if __name__ == "__main__":
    main()
