import torch


def make(module, lr=0.1):
    return torch.optim.SGD(module.parameters(), lr=lr)


def update(optimizer, loss):
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
