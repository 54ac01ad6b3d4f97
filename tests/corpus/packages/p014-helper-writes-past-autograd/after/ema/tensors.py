def shift(x, by):
    return x + by
