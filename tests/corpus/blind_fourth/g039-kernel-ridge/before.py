import torch

torch.manual_seed(44)
log_len = torch.tensor(0.1, requires_grad=True)
log_noise = torch.tensor(-1.0, requires_grad=True)
xs = torch.linspace(0, 1, 9)[:, None]
ys = torch.sin(6 * xs).squeeze(1) + 0.1 * torch.randn(9)

sq = (xs - xs.t()).square()
K = torch.exp(-0.5 * sq / log_len.exp() ** 2)
K.diagonal().add_(log_noise.exp())
L = torch.linalg.cholesky(K)
alpha = torch.cholesky_solve(ys[:, None], L).squeeze(1)
nll = 0.5 * ys @ alpha + L.diagonal().log().sum()
nll.backward()


def main():
    return {"len": log_len.grad, "noise": log_noise.grad}


if __name__ == "__main__":
    main()
