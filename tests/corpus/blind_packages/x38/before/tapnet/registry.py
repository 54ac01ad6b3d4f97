_factories = {}


def register(name):
    def deco(fn):
        _factories[name] = fn
        return fn

    return deco


def make(name, *args, **kw):
    try:
        factory = _factories[name]
    except KeyError:
        raise KeyError(f"unknown name {name!r}; have {sorted(_factories)}") from None
    return factory(*args, **kw)
