from .affine import AffineUnit
from .sigmoid import SigmoidUnit

UNITS = {"affine": AffineUnit, "sigmoid": SigmoidUnit}
