from .functions import softclip
