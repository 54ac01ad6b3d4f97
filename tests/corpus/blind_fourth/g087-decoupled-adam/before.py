import torch
import torch.nn as nn


class MiniAdamW(torch.optim.Optimizer):
    def __init__(self, params, lr=1e-2, betas=(0.9, 0.99), wd=0.01):
        super().__init__(params, dict(lr=lr, betas=betas, wd=wd))

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for g in self.param_groups:
            b1, b2 = g["betas"]
            for p in g["params"]:
                st = self.state[p]
                if not st:
                    st.update(t=0, m=torch.zeros_like(p), v=torch.zeros_like(p))
                st["t"] += 1
                st["m"].mul_(b1).add_(p.grad, alpha=1 - b1)
                st["v"].mul_(b2).addcmul_(p.grad, p.grad, value=1 - b2)
                mh, vh = st["m"] / (1 - b1 ** st["t"]), st["v"] / (1 - b2 ** st["t"])
                p.mul_(1 - g["lr"] * g["wd"]).addcdiv_(mh, vh.sqrt().add_(1e-8), value=-g["lr"])
        return loss


def main():
    torch.manual_seed(96)
    net = nn.Linear(3, 2)
    opt = MiniAdamW(net.parameters())
    x, y = torch.randn(8, 3), torch.randn(8, 2)

    def closure():
        opt.zero_grad()
        loss = nn.functional.huber_loss(net(x), y)
        loss.backward()
        return loss

    losses = [opt.step(closure).detach() for _ in range(4)]
    return {"loss": torch.stack(losses), "w": net.weight.detach()}


if __name__ == "__main__":
    main()
