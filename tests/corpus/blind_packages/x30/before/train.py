import torch

from bnn import BinaryMLP, engine


def main():
    torch.manual_seed(39)
    model = BinaryMLP([4, 6, 6, 2])
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    x, y = torch.randn(8, 4), torch.randint(0, 2, (8,))
    for step in range(2):
        loss = engine.train_step(model, opt, x, y)
        print(step, f"{loss:.6f}")
    for n, p in model.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
