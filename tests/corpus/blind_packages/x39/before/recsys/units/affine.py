from .base import Unit


class AffineUnit(Unit):
    gain = 0.7

    def transform(self, x):
        y = self.lin(x)
        y *= self.gain
        return y
