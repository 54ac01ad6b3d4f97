import torch

from diffusion import build
from diffusion.hooks import PreviewHook
from diffusion.schedule import add_noise


def train(cfg):
    model, optimizer, ema = build(cfg)
    hook = PreviewHook(ema, every=cfg.preview_every)
    for step in range(cfg.steps):
        clean = torch.randn(cfg.batch, cfg.dim)
        t = torch.randint(1, cfg.levels, (cfg.batch,))
        noisy, eps = add_noise(clean, t, cfg.levels)
        pred = model(noisy, t)
        loss = (pred - eps).pow(2).mean()
        hook.after_forward(model, step)
        optimizer.zero_grad()
        loss.backward()
        hook.after_backward(model)
        norms = [p.grad.norm().item() for p in model.parameters()]
        optimizer.step()
        ema.update(model)
        print(step, f"{loss.item():.5f}", " ".join(f"{v:.5f}" for v in norms))
    return hook.previews


def main():
    from diffusion.config import Config

    torch.manual_seed(35)
    previews = train(Config())
    print("previews", len(previews))


if __name__ == "__main__":
    main()
