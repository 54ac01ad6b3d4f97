class Registry:
    def __init__(self, name):
        self.name = name
        self._entries = {}

    def register(self, key):
        def deco(obj):
            if key in self._entries:
                raise KeyError(f"{key} already in {self.name}")
            self._entries[key] = obj
            return obj

        return deco

    def build(self, key, *args, **kwargs):
        return self._entries[key](*args, **kwargs)


ACTS = Registry("activations")
