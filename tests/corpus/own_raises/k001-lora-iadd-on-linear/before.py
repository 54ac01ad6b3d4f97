import torch
from torch import nn


class LoRALinear(nn.Module):
    def __init__(self, base: nn.Linear, r: int = 2, alpha: float = 4.0, p: float = 0.0):
        super().__init__()
        self.linear = base.requires_grad_(False)
        self.drop = nn.Dropout(p)
        self.lora_A = nn.Parameter(torch.randn(r, base.in_features) * 0.1)
        self.lora_B = nn.Parameter(torch.randn(base.out_features, r) * 0.1)
        self.scaling = alpha / r

    def forward(self, x):
        result = self.linear(x)
        result += (self.drop(x) @ self.lora_A.T @ self.lora_B.T) * self.scaling
        return result


class MLP(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up = LoRALinear(nn.Linear(d, 2 * d))
        self.down = LoRALinear(nn.Linear(2 * d, d))

    def forward(self, x):
        return x + self.down(nn.functional.silu(self.up(x)))


def main():
    torch.manual_seed(0)
    mlp = MLP(4)
    mlp(torch.randn(3, 4)).square().mean().backward()
    return {n: p.grad.clone() for n, p in mlp.named_parameters() if p.grad is not None}


if __name__ == "__main__":
    main()
