from .gate import SigmoidGate
