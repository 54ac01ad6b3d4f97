import copy

import torch
import torch.nn.functional as F
from torch import nn


class Distilled(nn.Module):
    def __init__(self, student: nn.Module, momentum: float = 0.9):
        super().__init__()
        self.student = student
        self.teacher = copy.deepcopy(student).requires_grad_(False).eval()
        self.momentum = momentum

    def ema(self):
        for t, s in zip(self.teacher.parameters(), self.student.parameters()):
            t.mul_(self.momentum).add_(s.detach(), alpha=1 - self.momentum)

    def forward(self, weak, strong):
        target = self.teacher(weak).softmax(-1)
        return F.cross_entropy(self.student(strong), target)


def main():
    torch.manual_seed(81)
    model = Distilled(nn.Sequential(nn.Linear(3, 5), nn.ReLU(), nn.Linear(5, 4)))
    opt = torch.optim.SGD(model.student.parameters(), lr=0.1)
    for _ in range(3):
        x = torch.randn(6, 3)
        loss = model(x, x + 0.1 * torch.randn_like(x))
        opt.zero_grad()
        loss.backward()
        opt.step()
        model.ema()
    grads = {n: p.grad.clone() for n, p in model.student.named_parameters()}
    return {**grads, "teacher": model.teacher[0].weight.clone()}


if __name__ == "__main__":
    main()
