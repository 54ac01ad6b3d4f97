import torch
import torch.nn as nn


class RunningRMSNorm(nn.Module):
    """Normalise by a running RMS; statistics follow the stream of batches."""

    def __init__(self, dim, momentum=0.1):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(dim))
        self.register_buffer("rms", torch.ones(dim))
        self.momentum = momentum

    def forward(self, x):
        if self.training:
            with torch.no_grad():
                batch_rms = x.pow(2).mean(0).sqrt()
                self.rms.lerp_(batch_rms, self.momentum)
        return self.gain * x / self.rms.clone()


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.norm, self.fc2 = nn.Linear(6, 10), RunningRMSNorm(10), nn.Linear(10, 4)

    def forward(self, x):
        return self.fc2(torch.relu(self.norm(self.fc1(x))))


def contrastive(a, b, same, margin=1.0):
    dist = (a - b).pow(2).sum(-1).add(1e-9).sqrt()
    return torch.where(same, dist.pow(2), (margin - dist).clamp(min=0).pow(2)).mean()


def main():
    torch.manual_seed(61)
    enc = Encoder()
    left, right = torch.randn(6, 6), torch.randn(6, 6) + 0.5
    same = torch.tensor([True, False, True, True, False, False])
    loss = contrastive(enc(left), enc(right), same)
    loss.backward()
    return {n: p.grad.clone() for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
