import numpy as np
import torch
from torch import nn


class Simulator:
    def __init__(self, n):
        self.state = np.zeros((n, 2), dtype=np.float32)
        self.t = 0

    def observe(self):
        self.t += 1
        self.state[:, 0] = np.sin(self.t + np.arange(len(self.state)))
        self.state[:, 1] *= 0.5
        self.state[:, 1] += self.state[:, 0]
        return torch.tensor(self.state)


def main():
    torch.manual_seed(305)
    sim, model = Simulator(4), nn.Linear(2, 2)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    curve = []
    for _ in range(4):
        obs = sim.observe()
        loss = (model(obs) - obs).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        curve.append(loss.detach())
    return {"curve": torch.stack(curve), "weight": model.weight.grad}


if __name__ == "__main__":
    main()
