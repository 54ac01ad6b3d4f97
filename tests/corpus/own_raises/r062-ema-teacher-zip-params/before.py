import copy

import torch
import torch.nn.functional as F
from torch import nn


class MeanTeacher(nn.Module):
    def __init__(self, student: nn.Module, alpha: float = 0.99):
        super().__init__()
        self.student = student
        self.teacher = copy.deepcopy(student)
        self.alpha = alpha

    def update_teacher(self, step: int) -> None:
        alpha = min(1 - 1 / (step + 1), self.alpha)
        for ema, live in zip(self.teacher.parameters(), self.student.parameters()):
            ema.mul_(alpha).add_(live, alpha=1 - alpha)

    def forward(self, x):
        with torch.no_grad():
            soft = self.teacher(x).softmax(-1)
        return F.kl_div(self.student(x).log_softmax(-1), soft, reduction="batchmean")


def main():
    torch.manual_seed(71)
    model = MeanTeacher(nn.Linear(4, 3))
    opt = torch.optim.SGD(model.student.parameters(), lr=0.1)
    for step in range(2):
        opt.zero_grad()
        model(torch.randn(6, 4)).backward()
        opt.step()
        model.update_teacher(step)
    return {n: p.grad.clone() for n, p in model.student.named_parameters()}


if __name__ == "__main__":
    main()
