import copy

import torch
from torch import nn


class MeanTeacher:
    def __init__(self, student, m=0.8):
        self.student = student
        self.teacher = copy.deepcopy(student)
        for t, s in zip(self.teacher.parameters(), student.parameters()):
            t.data = s.data.clone()
            t.requires_grad = False
        self.m = m

    def update(self):
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.data.mul_(self.m).add_(s.data, alpha=1 - self.m)
        for t, s in zip(self.teacher.buffers(), self.student.buffers()):
            t.data.copy_(s.data)

    def loss(self, x):
        with torch.no_grad():
            target = self.teacher(x)
        return nn.functional.mse_loss(self.student(x + 0.1), target + 1)


def main():
    torch.manual_seed(595)
    run = MeanTeacher(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 2)))
    opt = torch.optim.SGD(run.student.parameters(), lr=0.2)
    for _ in range(3):
        opt.zero_grad()
        run.loss(torch.randn(5, 3)).backward()
        opt.step()
        run.update()
    return {"teacher": run.teacher[0].weight, "student": run.student[0].weight}


if __name__ == "__main__":
    main()
