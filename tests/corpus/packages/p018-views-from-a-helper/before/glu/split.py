def halves(x):
    return x.chunk(2, dim=-1)
