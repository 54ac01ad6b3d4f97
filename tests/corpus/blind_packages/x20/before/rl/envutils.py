import torch


def reset_done(state, done):
    keep = torch.ones(len(done), 1)
    keep[done] = 0.0
    state *= keep
    return state


def discount(rewards, gamma):
    out = rewards.clone()
    for t in reversed(range(len(out) - 1)):
        out[t] += gamma * out[t + 1]
    return out
