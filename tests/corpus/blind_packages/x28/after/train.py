import torch

from multitask import build_model
from multitask.objectives import Objective, TASKS


def main():
    torch.manual_seed(37)
    model = build_model(tasks=TASKS)
    objective = Objective(weights={"depth": 1.0, "normal": 0.5, "l2": 0.3})
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    x = torch.randn(8, 4)
    targets = {"depth": x[:, :1].clone().abs_(), "normal": x[:, 1:3].clone().mul_(0.5)}
    for _ in range(2):
        loss = objective(model(x), targets, model)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"{loss.item():.6f}")
    for n, p in model.named_parameters():
        g = 0.0 if p.grad is None else p.grad.norm().item()
        print(n, f"{g:.6f}")


if __name__ == "__main__":
    main()
