import torch
import torch.nn.functional as F


def net(x, w):
    h = torch.tanh(F.linear(x, w["w1"], w["b1"]))
    return F.linear(h, w["w2"], w["b2"])


def adapt(meta, x, y, inner_lr=0.1, steps=2):
    fast = {k: v.clone() for k, v in meta.items()}
    for _ in range(steps):
        loss = F.mse_loss(net(x, fast), y)
        grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
        for (name, w), g in zip(list(fast.items()), grads):
            w.sub_(inner_lr * g)
    return fast


def sinusoid_task(gen, n=8):
    amp, phase = torch.rand(1, generator=gen) * 4 + 0.5, torch.rand(1, generator=gen) * 3
    x = torch.rand(2 * n, 1, generator=gen) * 10 - 5
    y = amp * torch.sin(x + phase)
    return x[:n], y[:n], x[n:], y[n:]


def main():
    torch.manual_seed(1)
    gen = torch.Generator().manual_seed(10)
    meta = {
        "w1": (torch.randn(8, 1) * 0.5).requires_grad_(), "b1": torch.zeros(8, requires_grad=True),
        "w2": (torch.randn(1, 8) * 0.5).requires_grad_(), "b2": torch.zeros(1, requires_grad=True),
    }
    opt = torch.optim.Adam(meta.values(), lr=1e-3)
    opt.zero_grad()
    outer = 0.0
    for _ in range(3):
        xs, ys, xq, yq = sinusoid_task(gen)
        outer += F.mse_loss(net(xq, adapt(meta, xs, ys)), yq)
    (outer / 3).backward()
    return {k: v.grad.clone() for k, v in meta.items()}


if __name__ == "__main__":
    main()
