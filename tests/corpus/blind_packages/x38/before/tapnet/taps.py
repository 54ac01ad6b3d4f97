from contextlib import contextmanager

import torch


def scale(module, args, out):
    out *= 0.5


def mask(module, args, out):
    out[:, -1:] = 0.0


_TAPS = {"scale": scale, "mask": mask}


@contextmanager
def tapped(net, spec):
    handles, seen = [], 0
    for m in net.modules():
        kind = spec.get(type(m).__name__)
        if kind:
            handles.append(m.register_forward_hook(_TAPS[kind]))
            seen += 1
    try:
        yield seen
    finally:
        for h in handles:
            h.remove()
