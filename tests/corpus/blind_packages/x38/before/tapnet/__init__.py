from .registry import make
from . import nets  # noqa: F401
