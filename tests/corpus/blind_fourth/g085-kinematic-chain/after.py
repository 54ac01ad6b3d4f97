import torch
import torch.nn as nn


def rot(theta):
    c, s = torch.cos(theta), torch.sin(theta)
    z, o = torch.zeros_like(c), torch.ones_like(c)
    return torch.stack([torch.stack([c, -s, z]), torch.stack([s, c, z]), torch.stack([z, z, o])])


def shift(length):
    m = torch.eye(3)
    m[0, 2] = length
    return m


class Arm(nn.Module):
    def __init__(self, lengths):
        super().__init__()
        self.register_buffer("lengths", torch.tensor(lengths))
        self.angles = nn.Parameter(0.1 * torch.randn(len(lengths)))

    def forward(self):
        pose = torch.eye(3)
        tips = []
        for a, l in zip(self.angles, self.lengths):
            pose = pose @ rot(a) @ shift(l)
            tips.append(pose[:2, 2].clone())
        return torch.stack(tips)


def main():
    torch.manual_seed(94)
    arm = Arm([1.0, 0.7, 0.4])
    goal = torch.tensor([1.0, 1.0])
    tips = arm()
    ((tips[-1] - goal).square().sum() + 0.01 * tips.square().sum()).backward()
    return {"angles": arm.angles.grad}


if __name__ == "__main__":
    main()
