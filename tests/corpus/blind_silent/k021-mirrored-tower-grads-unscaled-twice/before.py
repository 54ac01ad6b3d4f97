import itertools

import torch
import torch.nn as nn


def tie_gradients(towers):
    """Average the gradients of parallel towers so that they stay in step."""
    for group in zip(*(t.parameters() for t in towers)):
        mean = torch.stack([p.grad for p in group]).mean(0)
        for p in group:
            p.grad = mean


class Scaler:
    def __init__(self, scale: float):
        self.scale = scale

    def backward(self, loss):
        (loss * self.scale).backward()

    def unscale_(self, params):
        for p in params:
            if p.grad is not None:
                p.grad.div_(self.scale)


class Siamese(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.left = nn.Sequential(nn.Linear(*dims), nn.Tanh())
        self.right = nn.Sequential(nn.Linear(*dims), nn.Tanh())
        self.right.load_state_dict(self.left.state_dict())

    @property
    def towers(self):
        return [self.left, self.right]

    def forward(self, a, b):
        return nn.functional.cosine_similarity(self.left(a), self.right(b))


def main():
    torch.manual_seed(83)
    net, scaler = Siamese((5, 4)), Scaler(64.0)
    opt = torch.optim.SGD(net.parameters(), lr=0.5)
    a, b, y = torch.randn(8, 5), torch.randn(8, 5), torch.randint(0, 2, (8,)).float()
    for _ in range(2):
        opt.zero_grad()
        scaler.backward((net(a, b) - y).square().mean())
        tie_gradients(net.towers)
        scaler.unscale_(itertools.chain.from_iterable(t.parameters() for t in net.towers))
        opt.step()
    return {n: p.detach().clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
