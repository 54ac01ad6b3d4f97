import torch


def run_epoch(net, batches, optimizer, state):
    for batch in batches:
        state = net(batch, state.detach())
        loss = state.pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return state
