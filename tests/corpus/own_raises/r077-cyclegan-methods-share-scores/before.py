import torch
from torch import nn


class Domain(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.make = nn.Linear(dim, dim)
        self.judge = nn.Sequential(nn.Linear(dim, 5), nn.ELU(), nn.Linear(5, 1))


class CycleModel:
    def __init__(self, dim):
        self.a, self.b = Domain(dim), Domain(dim)
        makers = [*self.a.make.parameters(), *self.b.make.parameters()]
        judges = [*self.a.judge.parameters(), *self.b.judge.parameters()]
        self.opt_make = torch.optim.Adam(makers, lr=1e-3)
        self.opt_judge = torch.optim.Adam(judges, lr=1e-3)

    def forward(self, x, y):
        self.fake_y, self.fake_x = self.a.make(x), self.b.make(y)
        self.score_y, self.score_x = self.b.judge(self.fake_y), self.a.judge(self.fake_x)
        self.cycle = (self.b.make(self.fake_y) - x).abs().mean()

    def backward_judges(self, x, y):
        real = self.a.judge(x).mean() + self.b.judge(y).mean()
        (self.score_x.mean() + self.score_y.mean() - real).backward(retain_graph=True)

    def backward_makers(self):
        (self.cycle - self.score_x.mean() - self.score_y.mean()).backward()

    def train_on(self, x, y):
        self.forward(x, y)
        self.opt_judge.zero_grad()
        self.backward_judges(x, y)
        self.opt_judge.step()
        self.opt_make.zero_grad()
        self.backward_makers()
        self.opt_make.step()


def main():
    torch.manual_seed(93)
    model = CycleModel(3)
    model.train_on(torch.randn(4, 3), torch.randn(4, 3))
    return {"a": model.a.make.weight.grad.clone(), "b": model.b.make.weight.grad.clone()}


if __name__ == "__main__":
    main()
