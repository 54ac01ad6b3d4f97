import torch
from torch import nn


class Tempered(nn.Module):
    def __init__(self, base, temperature):
        super().__init__()
        self.base, self.temperature = base, temperature

    def forward(self, x):
        logits = self.base(x)
        return logits / self.temperature


def build(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def main():
    torch.manual_seed(601)
    student, teacher = Tempered(build(4, 8, 3), 4.0), build(4, 3)
    x = torch.randn(6, 4)
    with torch.no_grad():
        soft = (teacher(x) / 4.0).softmax(1)
    nn.functional.kl_div(student(x).log_softmax(1), soft, reduction="batchmean").backward()
    return {n: p.grad for n, p in student.named_parameters()}


if __name__ == "__main__":
    main()
