_MODELS = {}


def register(name):
    def wrap(cls):
        _MODELS[name] = cls
        return cls

    return wrap


def lookup(name):
    return _MODELS[name]
