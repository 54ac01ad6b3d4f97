import torch.nn as nn

from .blocks import TransformerBlock


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.blocks = nn.ModuleList(
            TransformerBlock(cfg.dim, cfg.heads, cfg.mlp_ratio) for _ in range(cfg.depth)
        )
        self.norm = nn.LayerNorm(cfg.dim)

    def forward(self, x, lengths=None):
        for blk in self.blocks:
            x = blk(x, lengths)
        return self.norm(x)


def build_encoder(cfg):
    return Encoder(cfg)
