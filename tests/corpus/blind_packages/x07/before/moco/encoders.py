import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.fc = nn.Linear(d_in, d_out)

    def forward(self, x):
        return F.normalize(self.fc(x), dim=1)


class MomentumMixin:
    @torch.no_grad()
    def track(self, other, m):
        for p, q in zip(self.parameters(), other.parameters()):
            p.mul_(m).add_(q, alpha=1 - m)


class MomentumEncoder(MomentumMixin, Encoder):
    pass


def build_pair(d_in, d_out):
    student = Encoder(d_in, d_out)
    teacher = MomentumEncoder(d_in, d_out)
    teacher.load_state_dict(copy.deepcopy(student.state_dict()))
    for p in teacher.parameters():
        p.requires_grad_(False)
    return student, teacher
