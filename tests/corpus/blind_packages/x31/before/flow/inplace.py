__all__ = ["add_", "scale_by_", "zero_tail_"]


def add_(x, other):
    x += other
    return x


def scale_by_(x, k):
    return x.mul_(k)


def zero_tail_(x, n):
    x[..., -n:] = 0.0
    return x
