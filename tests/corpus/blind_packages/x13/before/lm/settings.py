import dataclasses


@dataclasses.dataclass(frozen=True)
class LMSettings:
    vocab: int = 11
    dim: int = 8
    length: int = 6
    base: float = 100.0
    decay: float = 0.9
    lr: float = 1e-2
    iters: int = 2
    seed: int = 17
