import torch

from dynamics import Pendulum, simulate


def main():
    torch.manual_seed(2)
    system = Pendulum(length=1.3, damping=0.2)
    x0 = torch.tensor([[0.4, 0.0], [1.1, -0.3]])
    target = torch.zeros(2, 2)
    traj = simulate(system, x0, n_steps=12, dt=0.05)
    loss = (traj[-1] - target).pow(2).sum() + 0.01 * traj.pow(2).mean()
    loss.backward()
    for n, p in system.named_parameters():
        print(n, f"{p.grad.item():.6f}")


if __name__ == "__main__":
    main()
