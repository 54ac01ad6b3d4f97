import torch
from torch import nn


class FiLM(nn.Module):
    def __init__(self, cond, channels, bound=2.0):
        super().__init__()
        self.to_params = nn.Linear(cond, 2 * channels)
        self.bound = bound

    def forward(self, x, cond):
        params = self.to_params(cond)
        gamma, beta = params.chunk(2, dim=-1)
        if self.bound:
            params.clamp_(-self.bound, self.bound)
        return (1 + gamma)[:, :, None] * x + beta[:, :, None]


def main():
    torch.manual_seed(76)
    film, conv = FiLM(3, 4), nn.Conv1d(1, 4, 3, padding=1)
    y = film(conv(torch.randn(2, 1, 6)), torch.randn(2, 3))
    y.square().mean().backward()
    return {"film": film.to_params.weight.grad.clone(), "conv": conv.weight.grad.clone()}


if __name__ == "__main__":
    main()
