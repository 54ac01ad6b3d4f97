import torch


def dynamics(n_state, n_act):
    a = torch.eye(n_state)
    a.mul_(0.95)
    a[0, 1] = 0.1
    b = torch.zeros(n_state, n_act)
    b[-n_act:] += torch.eye(n_act)
    return a, b
