from .softclip import SoftClip, softclip
from .scale import scale_grad
