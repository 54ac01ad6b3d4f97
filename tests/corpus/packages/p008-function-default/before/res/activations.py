from torch.nn import functional as F


def activate(x, slope=0.0, inplace=True):
    if slope:
        return F.leaky_relu(x, slope, inplace=inplace)
    return F.relu(x, inplace=inplace)
