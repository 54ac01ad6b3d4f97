import torch


def nth_root(value, n, tol=1e-9, max_iter=4):
    x = value / n + (n - 1) / n
    k = 0
    while k < max_iter:
        residual = x.pow(n) - value
        if residual.detach().abs().max() < tol:
            return x
        x = x - residual / (n * x.pow(n - 1))
        k += 1
    return x


class RootLayer(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.scale = torch.nn.Parameter(torch.tensor([1.5, 2.0, 3.0]))

    def forward(self, x):
        return nth_root(self.scale * x, self.n)


def main():
    torch.manual_seed(39)
    layer = RootLayer(3)
    layer(torch.rand(3) + 0.5).sum().backward()
    return {"scale": layer.scale.grad.clone()}


if __name__ == "__main__":
    main()
