from .encoder import Encoder, build_encoder
