from .builder import build
