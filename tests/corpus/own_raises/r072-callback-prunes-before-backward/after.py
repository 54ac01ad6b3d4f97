import torch
from torch import nn


class Callback:
    def on_loss_computed(self, trainer, loss): ...

    def on_step_end(self, trainer): ...


class MagnitudePruner(Callback):
    def __init__(self, threshold):
        self.threshold = threshold

    @torch.no_grad()
    def on_step_end(self, trainer):
        for layer in trainer.model.modules():
            if isinstance(layer, nn.Linear):
                layer.weight[layer.weight.abs() < self.threshold] = 0.0


class Trainer:
    def __init__(self, model, callbacks=()):
        self.model, self.callbacks = model, callbacks
        self.opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def fire(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    def fit(self, batches):
        for x, y in batches:
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.fire("on_loss_computed", loss)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.fire("on_step_end")


def main():
    torch.manual_seed(88)
    model = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
    Trainer(model, [MagnitudePruner(0.1)]).fit([(torch.randn(5, 4), torch.randint(0, 3, (5,)))])
    return {n: p.grad.clone() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
