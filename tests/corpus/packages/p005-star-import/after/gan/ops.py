__all__ = ["normalise", "flatten"]


def normalise(x, eps=1e-6):
    return x / (_length(x) + eps)


def flatten(x):
    return x.reshape(len(x), -1)


def _length(x):
    return x.detach().norm(dim=-1, keepdim=True)
