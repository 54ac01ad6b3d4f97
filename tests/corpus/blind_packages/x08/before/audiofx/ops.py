import torch

__all__ = ["add_", "power"]


def add_(dst, src, alpha=1.0):
    """dst += alpha * src, returns dst"""
    return dst.add_(src, alpha=alpha)


def power(spec):
    re = spec.real.square()
    re += spec.imag.square()
    return re
