__all__ = ["normalise", "flatten"]


def normalise(x, eps=1e-6):
    x.div_(_length(x) + eps)
    return x


def flatten(x):
    return x.reshape(len(x), -1)


def _length(x):
    return x.detach().norm(dim=-1, keepdim=True)
