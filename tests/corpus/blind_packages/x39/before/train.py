import torch

from recsys.tower import Tower


def main():
    torch.manual_seed(59)
    tower = Tower(dim=5, plan=("affine", "sigmoid", "affine", "sigmoid"))
    opt = torch.optim.Adagrad(tower.parameters(), lr=0.1)
    users = torch.randn(6, 5)
    clicks = torch.tensor([1, 0, 0, 1, 1, 0]).to(users.dtype)
    for _ in range(3):
        score = tower(users)
        loss = torch.nn.functional.binary_cross_entropy_with_logits(score, clicks)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.6f}")
    for n, p in tower.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
