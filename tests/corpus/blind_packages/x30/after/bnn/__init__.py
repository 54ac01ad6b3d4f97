from .model import BinaryMLP
