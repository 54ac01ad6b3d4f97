import torch
import torch.nn.functional as F
from torch import nn
from torch.optim.swa_utils import AveragedModel


def consistency_step(student, average, opt, x, y, weight=0.5):
    logits = student(x)
    smooth = average(x)
    loss = F.cross_entropy(logits, y) + weight * F.mse_loss(logits.softmax(-1), smooth.softmax(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    average.update_parameters(student)
    return float(loss)


def main():
    torch.manual_seed(90)
    student = nn.Sequential(nn.Linear(3, 6), nn.Tanh(), nn.Linear(6, 2))
    average = AveragedModel(student)
    average.update_parameters(student)
    opt = torch.optim.SGD(student.parameters(), lr=0.05)
    for _ in range(2):
        consistency_step(student, average, opt, torch.randn(5, 3), torch.randint(0, 2, (5,)))
    return {n: p.grad.clone() for n, p in student.named_parameters()}


if __name__ == "__main__":
    main()
