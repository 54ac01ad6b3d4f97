import torch
from torch import nn


class Steering:
    def __init__(self, model, layer, vector):
        self.vector = vector
        self.handle = model.get_submodule(layer).register_forward_hook(self.push)

    def push(self, module, args, output):
        return output + self.vector

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.handle.remove()


class Encoder(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up = nn.Linear(d, d)
        self.act = nn.Tanh()
        self.down = nn.Linear(d, d)

    def forward(self, x):
        return self.down(self.act(self.up(x)))


def main():
    torch.manual_seed(22)
    enc = Encoder(4)
    direction = torch.randn(4)
    with Steering(enc, "act", 0.1 * direction):
        out = enc(torch.randn(3, 4))
    (out @ direction).mean().backward()
    return {n: p.grad.clone() for n, p in enc.named_parameters()}


if __name__ == "__main__":
    main()
