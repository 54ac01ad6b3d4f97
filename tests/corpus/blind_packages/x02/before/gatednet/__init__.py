from .net import build_model
