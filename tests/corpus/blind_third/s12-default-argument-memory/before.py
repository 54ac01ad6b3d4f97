import torch
import torch.nn as nn

DIM = 6


class EventEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(3, DIM)
        self.decay = 0.8

    def forward(self, events, times):
        return torch.tanh(self.proj(events)) * self.decay ** (times.max() - times)[:, None]


def pool_events(feats, mem=torch.zeros(DIM)):
    """Sum of the decayed events of one recording."""
    for f in feats:
        mem += f
    return mem


def embed_pair(enc, rec_a, rec_b):
    za = pool_events(enc(*rec_a))
    zb = pool_events(enc(*rec_b))
    return za, zb


def main():
    torch.manual_seed(112)
    enc, scorer = EventEncoder(), nn.Bilinear(DIM, DIM, 1)

    def recording(n):
        return torch.randn(n, 3), torch.rand(n).cumsum(0)

    za, zb = embed_pair(enc, recording(4), recording(5))
    dist = (za - zb).pow(2).sum()
    loss = dist + za.pow(2).mean()
    loss.backward()
    return {"dist": dist, "w": enc.proj.weight.grad, "b": enc.proj.bias.grad}


if __name__ == "__main__":
    main()
