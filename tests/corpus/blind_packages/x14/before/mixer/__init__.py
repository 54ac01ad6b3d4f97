"""MLP-mixer with optional fused kernels."""
from mixer.net import MLPMixer
