import numpy as np
import torch


def snap_weights(w):
    arr = w.detach().numpy()
    np.round(arr, 3, out=arr)
    arr[np.abs(arr) < 1e-3] = 0.0


def shrink_bias(b):
    b.data.mul_(0.99)
    with torch.no_grad():
        b -= 0.001 * b.sign()
