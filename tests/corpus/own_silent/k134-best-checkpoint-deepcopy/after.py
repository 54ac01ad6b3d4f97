import copy
import io

import torch
from torch import nn


def validate(model, x, y):
    with torch.no_grad():
        return nn.functional.mse_loss(model(x), y).item()


def main():
    torch.manual_seed(335)
    model = nn.Sequential(nn.Linear(2, 4), nn.Softplus(), nn.Linear(4, 1))
    opt = torch.optim.SGD(model.parameters(), lr=0.6, momentum=0.9)
    x, y = torch.randn(8, 2), torch.randn(8, 1)
    best, best_state, blob = float("inf"), None, io.BytesIO()
    history = []
    for epoch in range(6):
        opt.zero_grad()
        nn.functional.mse_loss(model(x), y).backward()
        opt.step()
        score = validate(model, x, y)
        history.append(model[0].weight.detach().clone())
        if score < best:
            best, best_state = score, {k: v.detach().clone() for k, v in model.state_dict().items()}
            blob.seek(0)
            torch.save(opt.state_dict(), blob)
    model.load_state_dict(best_state)
    blob.seek(0)
    opt.load_state_dict(torch.load(blob))
    return {"history": torch.stack(history), "best": torch.tensor(best), **dict(model.named_parameters())}


if __name__ == "__main__":
    main()
