import torch
from torch import nn


class SpringMesh:
    def __init__(self, rest, springs, mass=1.0):
        self.springs = springs
        self.mass = mass
        self.pos = rest.clone()
        self.vel = torch.zeros_like(rest)
        i, j = springs
        self.rest_length = (rest[i] - rest[j]).norm(dim=1)

    def forces(self, stiffness, damping):
        i, j = self.springs
        d = self.pos[i] - self.pos[j]
        length = d.norm(dim=1, keepdim=True)
        pull = -stiffness.unsqueeze(1) * (length - self.rest_length.unsqueeze(1)) * d / length
        f = torch.zeros_like(self.pos).index_add(0, i, pull).index_add(0, j, -pull)
        return f - damping * self.vel

    def step(self, stiffness, damping, dt, load):
        self.vel = self.vel + dt / self.mass * (self.forces(stiffness, damping) + load)
        self.pos = self.pos + dt * self.vel


class MaterialModel(nn.Module):
    def __init__(self, springs):
        super().__init__()
        self.log_stiffness = nn.Parameter(torch.zeros(springs))
        self.raw_damping = nn.Parameter(torch.tensor(-1.0))

    def forward(self):
        return self.log_stiffness.exp(), nn.functional.softplus(self.raw_damping)


def simulate(material, mesh, load, steps=4, dt=0.1):
    stiffness, damping = material()
    frames = []
    for _ in range(steps):
        mesh.step(stiffness, damping, dt, load)
        frames.append(mesh.pos.clone())
    return torch.stack(frames)


def main():
    torch.manual_seed(0)
    rest = torch.tensor([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    springs = torch.tensor([[0, 1, 2, 3, 0], [1, 2, 3, 0, 2]])
    material = MaterialModel(springs.shape[1])
    frames = simulate(material, SpringMesh(rest, springs), load=torch.tensor([0.0, -1.0]) * torch.rand(4, 1))
    (frames[-1] - rest - 0.05).square().mean().backward()
    return {n: p.grad for n, p in material.named_parameters()}


if __name__ == "__main__":
    main()
