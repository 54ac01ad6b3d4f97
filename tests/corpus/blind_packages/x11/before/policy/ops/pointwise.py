def scale(x, factor):
    return x * factor


def scale_(x, factor):
    x *= factor
    return x


def shift_(x, by):
    return x.add_(by)
