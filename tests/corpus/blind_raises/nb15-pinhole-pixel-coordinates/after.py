from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Intrinsics:
    fx: float
    fy: float
    cx: float
    cy: float


class Pose(nn.Module):
    def __init__(self):
        super().__init__()
        self.omega = nn.Parameter(torch.tensor([0.02, -0.01, 0.03]))
        self.shift = nn.Parameter(torch.tensor([0.1, 0.0, 3.0]))

    def rotation(self) -> Tensor:
        zero = torch.zeros(())
        a, b, c = self.omega
        skew = torch.stack([zero, -c, b, c, zero, -a, -b, a, zero]).view(3, 3)
        return torch.linalg.matrix_exp(skew)

    def forward(self, points: Tensor) -> Tensor:
        return points @ self.rotation().t() + self.shift


def project(points: Tensor, cam: Intrinsics, min_depth: float = 0.1) -> Tensor:
    depth = points[..., 2:].clamp(min=min_depth)
    uv = points[..., :2] / depth
    return uv * torch.tensor([cam.fx, cam.fy]) + torch.tensor([cam.cx, cam.cy])


class Reprojection:
    def __init__(self, points: Tensor, observed: Tensor, cam: Intrinsics):
        self.points, self.observed, self.cam = points, observed, cam

    def residual(self, pose: Pose) -> Tensor:
        error = project(pose(self.points), self.cam)
        return (error - self.observed) / max(self.cam.fx, self.cam.fy)

    def cost(self, pose: Pose) -> Tensor:
        return nn.functional.huber_loss(self.residual(pose), torch.zeros_like(self.observed), delta=0.1)


def main():
    torch.manual_seed(0)
    cam = Intrinsics(50.0, 48.0, 16.0, 15.0)
    problem = Reprojection(torch.randn(8, 3), 16 + 4 * torch.randn(8, 2), cam)
    pose = Pose()
    problem.cost(pose).backward()
    return {n: p.grad for n, p in pose.named_parameters()}


if __name__ == "__main__":
    main()
