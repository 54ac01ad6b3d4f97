import torch

from .ema import ShadowWeights
from .net import Denoiser


def build(cfg):
    model = Denoiser(cfg.dim, cfg.hidden, cfg.levels)
    optimizer = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    return model, optimizer, ShadowWeights(model.parameters(), cfg.decay)
