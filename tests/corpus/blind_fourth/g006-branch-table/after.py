import torch
import torch.nn as nn

ACTS = {"tanh": nn.Tanh, "elu": nn.ELU}


def branch(width, act):
    steps = [nn.Linear(width, width), ACTS[act]()]
    steps.append(nn.Dropout(0.3))
    return nn.Sequential(*steps)


class Router(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.routes = nn.ModuleDict({
            "left": branch(width, "tanh"),
            "right": branch(width, "elu"),
        })
        self.gate = nn.Linear(width, 2)

    def forward(self, x):
        g = self.gate(x).softmax(-1)
        outs = [m(x) for m in self.routes.values()]
        return sum(g[:, i:i + 1] * o for i, o in enumerate(outs))


def main():
    torch.manual_seed(8)
    net = Router(6)
    net(torch.randn(5, 6)).pow(2).mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
