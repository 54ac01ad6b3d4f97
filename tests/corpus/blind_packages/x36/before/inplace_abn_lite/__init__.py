from .functions import inplace_leaky
