import torch
from lm import build_model
from lm.settings import LMSettings
from lm.text import toy_batch


def main():
    cfg = LMSettings()
    torch.manual_seed(cfg.seed)
    model, opt = build_model(cfg)
    for it in range(cfg.iters):
        inp, tgt = toy_batch(cfg, it)
        logits = model(inp)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten())
        opt.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        print(it, f"loss={loss.item():.6f} g={model.qk.weight.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
