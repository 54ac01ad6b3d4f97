import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class Teacher:
    def __init__(self, student, decay):
        self.net = copy.deepcopy(student).requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def follow(self, student):
        for t, s in zip(self.net.parameters(), student.parameters()):
            t.mul_(self.decay).add_(s, alpha=1 - self.decay)

    def __call__(self, x):
        return self.net(x)


class InputPerturber(nn.Module):
    def __init__(self, shape, eps):
        super().__init__()
        self.delta = nn.Parameter(torch.zeros(shape))
        self.eps = eps

    def forward(self, x):
        return x + self.eps * torch.tanh(self.delta)


class ConsistencyTrainer:
    def __init__(self, student, perturb, decay=0.9):
        self.student, self.perturb = student, perturb
        self.teacher = Teacher(student, decay)
        self.opt = torch.optim.SGD([*student.parameters(), *perturb.parameters()], lr=0.1)

    def step(self, x):
        self.opt.zero_grad()
        hard = self.perturb(x)
        loss = F.mse_loss(self.student(x).softmax(1), self.teacher(hard).softmax(1))
        self.teacher.follow(self.student)
        loss.backward()
        self.opt.step()
        return loss.detach()


def main():
    torch.manual_seed(64)
    student = nn.Sequential(nn.Linear(5, 10), nn.ReLU(), nn.Linear(10, 3))
    trainer = ConsistencyTrainer(student, InputPerturber((5,), 0.3))
    losses = [trainer.step(torch.randn(6, 5)) for _ in range(2)]
    return {"losses": torch.stack(losses), "delta": trainer.perturb.delta.grad}


if __name__ == "__main__":
    main()
