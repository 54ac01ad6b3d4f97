import torch

from seqmodel.models import create_model


def main():
    torch.manual_seed(54)
    model = create_model("causal", dim=8, heads=2, depth=2, max_len=6)
    x = torch.randn(2, 6, 8)
    y = model(x)
    loss = y[:, -1].square().sum()
    loss.backward()
    for n, p in model.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
