from typing import Dict

import torch


class InnerSGD:
    """Functional update for the inner loop of a meta learner."""

    def __init__(self, lr: float, decay: float):
        self.lr, self.decay = lr, decay

    def __call__(self, params: Dict[str, torch.Tensor], loss: torch.Tensor) -> Dict[str, torch.Tensor]:
        grads = torch.autograd.grad(loss, list(params.values()))
        new = {}
        for (name, p), g in zip(params.items(), grads):
            g = g + self.decay * p.detach()
            new[name] = (p - self.lr * g).detach().requires_grad_()
        return new


def rating_model(params, users, items):
    return params["user"] + params["item"] + params["offset"] * (users + items)


def adapt(params, task, steps):
    inner = InnerSGD(lr=0.1, decay=0.3)
    users, items, ratings = task
    history = []
    for _ in range(steps):
        loss = (rating_model(params, users, items) - ratings).square().sum()
        history.append(loss.item())
        params = inner(params, loss)
    return params, history


def main():
    gen = torch.Generator().manual_seed(89)
    start = {
        "user": torch.randn(6, generator=gen).requires_grad_(),
        "item": torch.randn(6, generator=gen).requires_grad_(),
        "offset": torch.tensor(0.5, requires_grad=True),
    }
    task = tuple(torch.rand(6, generator=gen) for _ in range(3))
    params, history = adapt(start, task, steps=3)
    return {"loss": torch.tensor(history), **{k: v.detach() for k, v in params.items()}}


if __name__ == "__main__":
    main()
