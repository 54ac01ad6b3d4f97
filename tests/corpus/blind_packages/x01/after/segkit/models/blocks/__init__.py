from .attention import SelfAttention
from .transformer import TransformerBlock
