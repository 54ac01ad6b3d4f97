from .config import EncoderConfig
from .models import build_encoder

__all__ = ["EncoderConfig", "build_encoder"]
