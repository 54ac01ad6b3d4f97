from .factory import create
