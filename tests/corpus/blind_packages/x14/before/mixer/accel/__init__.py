try:
    from mixer_cuda_kernels import bias_act, residual_add
except ImportError:
    from ._fallback import bias_act, residual_add

__all__ = ["bias_act", "residual_add"]
