import torch
import torch.nn as nn


class Focal(nn.Module):
    def __init__(self, gamma=2.0, floor=-4.0):
        super().__init__()
        self.gamma, self.floor = gamma, floor

    def forward(self, logits, y):
        logp = logits.log_softmax(-1)
        own = logp.gather(-1, y[:, None]).squeeze(-1)
        own.clamp_(min=self.floor)
        p = own.exp()
        weight = 1 - p
        loss = weight.pow(self.gamma) * own
        loss.neg_()
        loss *= 0.25
        return loss.mean()


def main():
    torch.manual_seed(105)
    net = nn.Linear(4, 3)
    x, y = 4 * torch.randn(10, 4), torch.randint(0, 3, (10,))
    Focal()(net(x), y).backward()
    return {"w": net.weight.grad, "b": net.bias.grad}


if __name__ == "__main__":
    main()
