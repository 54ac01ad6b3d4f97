import typing

import torch


class State(typing.NamedTuple):
    position: torch.Tensor
    momentum: torch.Tensor


def leapfrog(state, force, dt, steps):
    q, p = state
    path = [State(q, p)]
    for _ in range(steps):
        p += 0.5 * dt * force(q)
        q += dt * p
        p += 0.5 * dt * force(q)
        path.append(State(q, p))
    return path


def main():
    torch.manual_seed(401)
    start = State(torch.randn(3), torch.zeros(3))
    path = leapfrog(start, lambda q: -4 * q, 0.1, 10)
    qs, ps = (torch.stack(column) for column in zip(*path))
    stiffness = torch.ones((), requires_grad=True)
    energy = 0.5 * ps.square().sum(1) + 2 * stiffness * qs.square().sum(1)
    energy.var().backward()
    return {"energy": energy, "stiffness": stiffness.grad}


if __name__ == "__main__":
    main()
