import torch
import torch.nn as nn


def blend(a, b, *, ratio=0.5, out=None):
    target = a if out is None else out
    return torch.lerp(a, b, ratio, out=target)


class Pseudo:
    def __init__(self, student, teacher):
        self.student, self.teacher = student, teacher

    @torch.no_grad()
    def labels(self, x):
        return self.teacher(x).softmax(1)

    def loss(self, x, y):
        soft = self.labels(x)
        onehot = nn.functional.one_hot(y, soft.size(1)).float()
        mixed = blend(soft, onehot, ratio=0.7)
        logp = self.student(x).log_softmax(1)
        confident = soft.amax(1) > 0.6
        agree = -(soft * logp).sum(1)[confident].sum()
        return -(mixed * logp).sum(1).mean() + 0.1 * agree


def main():
    torch.manual_seed(86)
    s, t = nn.Linear(4, 3), nn.Linear(4, 3)
    loss = Pseudo(s, t).loss(torch.randn(8, 4), torch.randint(0, 3, (8,)))
    loss.backward()
    return {"w": s.weight.grad, "loss": loss.detach()}


if __name__ == "__main__":
    main()
