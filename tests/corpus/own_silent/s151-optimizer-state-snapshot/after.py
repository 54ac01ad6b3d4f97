import torch
from torch import nn


class Rewinder:
    """Rolls model and momentum back if the loss explodes."""

    def __init__(self, model, opt):
        self.model, self.opt = model, opt
        self.mark()

    def mark(self):
        self.weights = {k: v.clone() for k, v in self.model.state_dict().items()}
        self.moments = [self.opt.state[p]["momentum_buffer"].clone() for p in self.model.parameters()]

    def rewind(self):
        self.model.load_state_dict(self.weights)
        for p, m in zip(self.model.parameters(), self.moments):
            self.opt.state[p]["momentum_buffer"] = m


def main():
    torch.manual_seed(471)
    model = nn.Sequential(nn.Linear(2, 3), nn.Softsign(), nn.Linear(3, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    x, y = torch.randn(6, 2), torch.randn(6, 1)
    for step, boost in enumerate((1, 1, 100, 1, 1)):
        loss = nn.functional.mse_loss(model(x), y * boost)
        if step == 2:
            guard = Rewinder(model, opt)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if loss > 50:
            guard.rewind()
    return dict(model.named_parameters())


if __name__ == "__main__":
    main()
