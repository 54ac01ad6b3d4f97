from .pointwise import scale, scale_, shift_
