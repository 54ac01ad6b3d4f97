from dataclasses import dataclass


@dataclass
class EncoderConfig:
    dim: int = 32
    heads: int = 4
    depth: int = 2
    mlp_ratio: float = 2.0
