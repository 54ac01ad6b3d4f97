import torch


def windows(n, length, batch, d):
    for i in range(n):
        chunk = torch.randn(length, batch, d)
        chunk[:, :, 0].cumsum_(0)
        target = chunk.sum(-1).tanh_()
        done = torch.zeros(batch, dtype=torch.bool)
        done[i % batch] = True
        yield chunk, target, done
