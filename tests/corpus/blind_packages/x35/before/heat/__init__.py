"""Explicit heat equation on a rod."""
from .rod import Rod
from .runner import run
