import torch
import torch.nn as nn


class PairEncoder(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.tower = nn.Sequential(nn.Linear(dim, 10), nn.ReLU(), nn.Linear(10, 4))
        self.temperature = nn.Parameter(torch.tensor(0.2))

    def forward(self, a, b):
        za = nn.functional.normalize(self.tower(a), dim=1)
        zb = nn.functional.normalize(self.tower(b), dim=1)
        return za @ zb.t() / self.temperature, za


class Step:
    def __init__(self, model, decorrelate):
        self.model, self.decorrelate = model, decorrelate
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

    def losses(self, a, b):
        logits, z = self.model(a, b)
        yield nn.functional.cross_entropy(logits, torch.arange(len(a)))
        cov = (z - z.mean(0)).t() @ (z - z.mean(0)) / len(z)
        yield self.decorrelate * (cov - cov.diagonal().diag()).pow(2).sum()

    def run(self, a, b):
        self.opt.zero_grad(set_to_none=False)
        contrast, penalty = self.losses(a, b)
        contrast.backward(retain_graph=True)
        penalty.backward()
        self.opt.step()
        return contrast.item() + penalty.item()


def main():
    torch.manual_seed(32)
    step = Step(PairEncoder(6), decorrelate=20.0)
    a = torch.randn(8, 6)
    total = [step.run(a, a + 0.1 * torch.randn(8, 6)) for _ in range(2)]
    return {"total": torch.tensor(total), **{n: p.grad.clone() for n, p in step.model.named_parameters()}}


if __name__ == "__main__":
    main()
