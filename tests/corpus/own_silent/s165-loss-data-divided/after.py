import torch
from torch import nn


class Trainer:
    def __init__(self, model, accumulation):
        self.model, self.n = model, accumulation
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)
        self.log = []

    def micro_step(self, i, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        loss = loss / self.n
        loss.backward()
        self.log.append(loss.item())
        if (i + 1) % self.n == 0:
            self.opt.step()
            self.opt.zero_grad()


def main():
    torch.manual_seed(611)
    trainer = Trainer(nn.Linear(3, 2), 4)
    for i in range(8):
        trainer.micro_step(i, torch.randn(2, 3), torch.randn(2, 2))
    return {"log": torch.tensor(trainer.log), **dict(trainer.model.named_parameters())}


if __name__ == "__main__":
    main()
