from .saturate import SaturateFn as _SaturateFn


def saturate(u, limit):
    return _SaturateFn.apply(u, limit)
