import torch

import heat


def main():
    torch.manual_seed(55)
    rod = heat.Rod(cells=8)
    u0 = torch.zeros(8)
    u0[3:5] = 1.0
    target = torch.linspace(0, 1, 8)
    hist = heat.run(rod, u0, steps=6)
    loss = (hist[-1] - target).square().sum() + 1e-2 * hist.square().mean()
    loss.backward()
    print(f"{loss.item():.6f}")
    for n, p in rod.named_parameters():
        print(n, [round(v, 6) for v in p.grad.flatten().tolist()])


if __name__ == "__main__":
    main()
