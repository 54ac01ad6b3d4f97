from .history import History


def run(rod, u0, steps):
    rec = History(steps + 1, len(u0), u0.dtype)
    rec += u0
    u = u0
    for _ in range(steps):
        u = rod.step(u)
        rec += u
    return rec.data
