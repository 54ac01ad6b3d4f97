from dataclasses import dataclass


@dataclass
class Config:
    dim: int = 4
    hidden: int = 8
    levels: int = 10
    batch: int = 6
    lr: float = 0.1
    decay: float = 0.5
    steps: int = 3
    preview_every: int = 2
