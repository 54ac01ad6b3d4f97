def rk4(f, y, dt):
    k1 = f(y)
    k2 = f(y + 0.5 * dt * k1)
    k3 = f(y + 0.5 * dt * k2)
    k4 = f(y + dt * k3)
    incr = k1 + 2 * k2
    incr += 2 * k3
    incr += k4
    return y + incr.mul_(dt / 6)


def euler(f, y, dt):
    return y + dt * f(y)
