import torch
import torch.nn as nn


class FlatGrad:
    def __init__(self, params):
        self.params = list(params)
        self.buf = torch.zeros(sum(p.numel() for p in self.params))

    def __call__(self):
        i = 0
        for p in self.params:
            self.buf[i:i + p.numel()] = p.grad.flatten()
            i += p.numel()
        return self.buf.clone()


def barzilai_borwein(net, loss_fn, steps=6, lr=0.1):
    flat = FlatGrad(net.parameters())
    prev_g = prev_w = None
    for _ in range(steps):
        net.zero_grad()
        loss = loss_fn(net)
        loss.backward()
        g = flat()
        w = nn.utils.parameters_to_vector(net.parameters()).detach()
        if prev_g is not None:
            s, y = w - prev_w, g - prev_g
            curve = s @ y
            lr = float(s @ s / curve) if curve > 1e-10 else lr
        prev_g, prev_w = g, w
        with torch.no_grad():
            nn.utils.vector_to_parameters(w - lr * g, net.parameters())
    return loss.detach()


def main():
    torch.manual_seed(71)
    net = nn.Linear(4, 1)
    x = torch.randn(20, 4) * torch.tensor([0.5, 1.0, 1.5, 2.0])
    loss = barzilai_borwein(net, lambda m: (m(x) - x.sum(1, keepdim=True)).square().mean())
    return {"w": net.weight.detach(), "loss": loss}


if __name__ == "__main__":
    main()
