import torch

import critic.constraints as constraints
from critic.model import build_critic
from critic.settings import Settings


def run_epoch(model, opt, batches, cfg):
    for real, fake in batches:
        opt.zero_grad(set_to_none=True)
        loss = model(fake).mean() - model(real).mean()
        loss.backward()
        opt.step()
        constraints.enforce(model, cfg.constraint, cfg.clip)
        yield loss.item()


def main():
    torch.manual_seed(11)
    cfg = Settings()
    model = build_critic(cfg)
    opt = torch.optim.RMSprop(model.parameters(), lr=cfg.lr)
    batches = [(torch.randn(8, cfg.n_in) + 1, torch.randn(8, cfg.n_in)) for _ in range(3)]
    for value in run_epoch(model, opt, batches, cfg):
        print(f"{value:.6f}")
    for n, p in model.named_parameters():
        print(n, f"{p.grad.norm():.6f}")


if __name__ == "__main__":
    main()
