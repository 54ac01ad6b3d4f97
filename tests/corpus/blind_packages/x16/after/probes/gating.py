from .stack import walk


def gated_forward(stack, x, gates):
    h = x
    it = walk(stack, x)
    i, h = next(it)
    while True:
        h = h * gates[i]
        try:
            i, h = it.send(h)
        except StopIteration:
            return h
