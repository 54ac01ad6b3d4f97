from .compressor import *
