import torch

from control.closedloop import Controller


def main():
    torch.manual_seed(38)
    ctl = Controller(n_state=4, n_act=2, limit=0.4)
    x = torch.randn(6, 4)
    cost = ctl.cost(x)
    cost.backward()
    print(f"{cost.item():.6f}")
    print("K", [round(v, 6) for v in ctl.K.grad.flatten().tolist()])
    print("bias", [round(v, 6) for v in ctl.bias.grad.tolist()])


if __name__ == "__main__":
    main()
