from typing import NamedTuple


class Settings(NamedTuple):
    n_in: int = 5
    hidden: int = 12
    lr: float = 5e-4
    clip: float = 0.05
    constraint: str = "clip"
