import torch

from flow import CouplingFlow, nll

LR = 1e-2


def main():
    torch.manual_seed(51)
    flow = CouplingFlow(dim=4, n_layers=3)
    opt = torch.optim.Adam(flow.parameters(), lr=LR)
    for _ in range(3):
        x = torch.randn(16, 4).mul_(2.0).add_(0.3)
        loss = nll(flow, x)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"{loss.item():.6f}")
    for n, p in flow.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
