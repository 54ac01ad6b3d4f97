def build_model(cfg):
    import torch

    from .model import TinyLM

    model = TinyLM(cfg)
    return model, torch.optim.AdamW(model.parameters(), lr=cfg.lr)
