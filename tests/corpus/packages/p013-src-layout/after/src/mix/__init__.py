from .experts import Router
