"""Finds PyTorch in-place autograd hazards. Importing the package never imports torch."""

from __future__ import annotations

__version__ = "0.1.0"
