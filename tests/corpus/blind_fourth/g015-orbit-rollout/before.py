from dataclasses import dataclass
import torch


@dataclass
class State:
    pos: torch.Tensor
    vel: torch.Tensor


def force(state, k, q):
    r = state.pos.norm(dim=-1, keepdim=True)
    return -k * state.pos - q * state.pos * r


def leap(state, k, q, dt):
    state.vel = state.vel + dt * force(state, k, q)
    state.pos += dt * state.vel


def rollout(pos, vel, k, q, steps=5, dt=0.1):
    state = State(pos.clone(), vel.clone())
    for _ in range(steps):
        leap(state, k, q, dt)
    return state


def main():
    torch.manual_seed(17)
    k = torch.tensor(1.0, requires_grad=True)
    q = torch.tensor(0.1, requires_grad=True)
    end = rollout(torch.randn(3, 2), torch.randn(3, 2), k, q)
    (end.pos - 1).square().sum().backward()
    return {"k": k.grad, "q": q.grad}


if __name__ == "__main__":
    main()
