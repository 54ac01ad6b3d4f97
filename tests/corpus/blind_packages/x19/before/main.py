import torch

from gp import GaussianProcess
from gp.kernels import linear_kernel, rbf_kernel


def main():
    torch.manual_seed(18)
    x = torch.rand(8, 2)
    y = x.sin().sum(1)
    gp = GaussianProcess(rbf_kernel, mean_kernel=linear_kernel)
    nll = gp.nll(x, y)
    nll.backward()
    for n, p in gp.named_parameters():
        print(n, f"{p.grad.item():.6f}")


if __name__ == "__main__":
    main()
