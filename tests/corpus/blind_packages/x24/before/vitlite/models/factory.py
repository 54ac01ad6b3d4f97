from . import resmlp  # noqa: F401  (fills the registry)
from .registry import lookup


def build_model(cfg):
    cfg = dict(cfg)
    return lookup(cfg.pop("name"))(**cfg)
