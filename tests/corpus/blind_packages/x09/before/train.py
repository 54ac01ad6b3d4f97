import torch

from tabular.models import TabularRegressor
from tabular.data import make_table


def fit(model, x, y, epochs=3):
    optim = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        pred = model(x)
        loss = torch.nn.functional.mse_loss(pred, y)
        optim.zero_grad()
        loss.backward()
        optim.step()
    return loss


def main():
    torch.manual_seed(21)
    x, y = make_table(20, 5)
    model = TabularRegressor(5, 8)
    loss = fit(model, x, y)
    print(f"loss {loss.item():.6f}")
    for name, p in model.named_parameters():
        print(name, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
