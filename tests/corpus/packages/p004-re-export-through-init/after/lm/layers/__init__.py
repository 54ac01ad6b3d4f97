from .gating import SigmoidGate as Gate

__all__ = ["Gate"]
