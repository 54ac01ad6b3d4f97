from .stack import DeepStack
from .gating import gated_forward
