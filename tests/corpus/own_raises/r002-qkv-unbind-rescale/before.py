from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class AttnConfig:
    width: int = 8
    heads: int = 2
    logit_scale: float = 0.5


class WindowAttention(nn.Module):
    def __init__(self, cfg: AttnConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.to_qkv = nn.Linear(cfg.width, 3 * cfg.width, bias=False)
        self.proj = nn.Linear(cfg.width, cfg.width)

    def _heads(self, tokens: Tensor) -> Tensor:
        b, n, _ = tokens.shape
        packed = self.to_qkv(tokens).reshape(b, n, 3, self.cfg.heads, -1)
        return packed.permute(2, 0, 3, 1, 4)

    def forward(self, tokens: Tensor) -> Tensor:
        q, k, v = self._heads(tokens).unbind(0)
        q.mul_(self.cfg.logit_scale)
        weights = F.softmax(q @ k.transpose(-2, -1), dim=-1)
        merged = (weights @ v).transpose(1, 2).flatten(2)
        return self.proj(merged)


def main():
    torch.manual_seed(11)
    layer = WindowAttention(AttnConfig())
    layer(torch.randn(2, 5, 8)).square().mean().backward()
    return {n: p.grad.clone() for n, p in layer.named_parameters()}


if __name__ == "__main__":
    main()
