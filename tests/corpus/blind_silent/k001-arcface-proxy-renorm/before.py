from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class HeadConfig:
    dim: int = 6
    classes: int = 4
    per_class: int = 2
    scale: float = 8.0


class SubCenterHead(nn.Module):
    """Several proxies a class, the nearest one counts."""

    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.cfg = cfg
        self.proxies = nn.Parameter(torch.randn(cfg.classes * cfg.per_class, cfg.dim))

    def _renorm(self) -> None:
        rows = self.proxies.data.view(-1, self.cfg.dim)
        rows.div_(rows.norm(dim=1, keepdim=True).clamp(min=1e-6))

    def forward(self, emb: torch.Tensor) -> torch.Tensor:
        cos = F.linear(emb, self.proxies)
        self._renorm()
        cos = cos.view(-1, self.cfg.classes, self.cfg.per_class)
        return cos.amax(dim=2) * self.cfg.scale


class Recogniser(nn.Module):
    def __init__(self, cfg: HeadConfig):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 12), nn.PReLU(), nn.Linear(12, cfg.dim))
        self.head = SubCenterHead(cfg)

    def forward(self, x):
        return self.head(F.normalize(self.trunk(x), dim=1))


def main():
    torch.manual_seed(3)
    net = Recogniser(HeadConfig())
    x, y = torch.randn(9, 10), torch.randint(0, 4, (9,))
    F.cross_entropy(net(x), y).backward()
    return {n: p.grad.clone() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
