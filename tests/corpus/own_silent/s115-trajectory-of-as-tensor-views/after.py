from dataclasses import dataclass, field

import numpy as np
import torch


@dataclass
class Pendulum:
    state: np.ndarray = field(default_factory=lambda: np.array([1.0, 0.0], dtype=np.float32))
    dt: float = 0.1

    def advance(self):
        angle, speed = self.state
        self.state += self.dt * np.array([speed, -np.sin(angle)], dtype=np.float32)


def record(system, steps):
    seen = []
    for _ in range(steps):
        seen.append(torch.tensor(system.state))
        system.advance()
    return torch.stack(seen)


def main():
    torch.manual_seed(131)
    path = record(Pendulum(), 12)
    model = torch.nn.Linear(2, 2)
    loss = torch.nn.functional.mse_loss(model(path[:-1]), path[1:])
    loss.backward()
    return {"path": path, "weight": model.weight.grad}


if __name__ == "__main__":
    main()
