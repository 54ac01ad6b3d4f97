import copy
import math
from dataclasses import dataclass, field
from typing import Any, Dict

import torch
import torch.nn as nn


@dataclass
class EarlyStopping:
    patience: int = 2
    restore_best_weights: bool = True
    best: float = math.inf
    wait: int = 0
    state: Dict[str, Any] = field(default_factory=dict)

    def on_epoch_end(self, model: nn.Module, score: float) -> bool:
        if score < self.best:
            self.best, self.wait = score, 0
            if self.restore_best_weights:
                self.state = copy.deepcopy(model.state_dict())
        else:
            self.wait += 1
        return self.wait >= self.patience

    def on_train_end(self, model: nn.Module) -> None:
        if self.restore_best_weights and self.state:
            model.load_state_dict(self.state)


class Wide(nn.Module):
    def __init__(self, fields=6):
        super().__init__()
        self.lin = nn.Linear(fields, 1)

    def forward(self, x):
        return self.lin(x).squeeze(-1)


def fit(model, train, valid, epochs, lr):
    stopper = EarlyStopping(patience=3)
    opt = torch.optim.Adam(model.parameters(), lr=lr)
    loss_fn = nn.MSELoss()
    for _ in range(epochs):
        opt.zero_grad()
        loss_fn(model(train[0]), train[1]).backward()
        opt.step()
        with torch.no_grad():
            val = loss_fn(model(valid[0]), valid[1]).item()
        if stopper.on_epoch_end(model, val):
            break
    stopper.on_train_end(model)
    return stopper.best


def main():
    torch.manual_seed(109)
    model = Wide()
    make = lambda n: (torch.randn(n, 6), torch.randn(n))  # noqa: E731
    best = fit(model, make(8), make(8), epochs=12, lr=0.3)
    return {"best": torch.tensor(best), **{k: v.clone() for k, v in model.state_dict().items()}}


if __name__ == "__main__":
    main()
