import torch
import torch.nn as nn


class SAM:
    def __init__(self, model, base_opt, rho=0.5):
        self.model, self.opt, self.rho = model, base_opt, rho
        self.backup = {}

    def ascend(self):
        grads = [p.grad for p in self.model.parameters()]
        scale = self.rho / (torch.stack([g.norm() for g in grads]).norm() + 1e-12)
        for p in self.model.parameters():
            self.backup[p] = p.data.clone()
            p.data.add_(p.grad * scale)
            p.grad = None

    def descend(self):
        for p in self.model.parameters():
            p.data.copy_(self.backup[p])
        self.opt.step()


def train_step(sam, criterion, x, y):
    sam.opt.zero_grad()
    loss = criterion(sam.model(x), y)
    loss.backward(retain_graph=True)
    sam.ascend()
    loss.backward()
    second = {n: p.grad.clone() for n, p in sam.model.named_parameters()}
    sam.descend()
    return second


def main():
    torch.manual_seed(103)
    model = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 12), nn.GELU(), nn.Linear(12, 3))
    sam = SAM(model, torch.optim.SGD(model.parameters(), lr=0.1))
    x, y = torch.randn(10, 6), torch.randint(0, 3, (10,))
    return train_step(sam, nn.CrossEntropyLoss(), x, y)


if __name__ == "__main__":
    main()
