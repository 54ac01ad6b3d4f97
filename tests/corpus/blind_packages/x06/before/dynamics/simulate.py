from . import integrators
from .recorder import Recorder


def simulate(system, x0, n_steps, dt, method="rk4"):
    step = getattr(integrators, method)
    rec = Recorder(n_steps + 1, x0)
    rec.put(x0)
    for _ in range(n_steps):
        rec.put(step(system.rhs, rec.last, dt))
    return rec.result()
