"""Signatures that no schema and no Python signature gives: methods of torch.Tensor bound by hand in C++."""

from __future__ import annotations

from inplace_guard.ops.model import Param, Result

_SELF = Param("self", "Tensor")
_FORMAT = Param("memory_format", "any", False, True)


def _any(*names: str) -> tuple[Param, ...]:
    return (_SELF, *(Param(name, "any", False) for name in names))


_CASTS = ("bfloat16", "bool", "byte", "char", "cfloat", "cdouble", "double", "float", "half", "int", "long", "short")
_QUERIES = (
    "data_ptr", "element_size", "get_device", "is_contiguous", "is_pinned", "is_shared", "ndimension", "nelement",
    "storage", "storage_offset", "tolist", "untyped_storage", "has_names", "storage_type", "size", "stride",
)  # fmt: skip

METHODS: dict[str, list[tuple[Param, ...]]] = {
    **{name: [(_SELF, _FORMAT)] for name in _CASTS},
    **{name: [_any("a", "b")] for name in _QUERIES},
    "to": [
        (_SELF, Param("other", "Tensor"), Param("non_blocking", "bool", False), Param("copy", "bool", False), _FORMAT),
        (
            _SELF,
            Param("device", "any", False),
            Param("dtype", "any", False),
            Param("non_blocking", "bool", False),
            Param("copy", "bool", False),
            _FORMAT,
        ),
    ],
    "cpu": [(_SELF, _FORMAT)],
    "cuda": [(_SELF, Param("device", "any", False), Param("non_blocking", "bool", False), _FORMAT)],
    "type": [(_SELF, Param("dtype", "any", False), Param("non_blocking", "bool", False))],
    "requires_grad_": [(_SELF, Param("requires_grad", "bool", False))],
    "numpy": [(_SELF, Param("force", "bool", False, True))],
    "apply_": [(_SELF, Param("callable", "any"))],
    "map_": [(_SELF, Param("tensor", "Tensor"), Param("callable", "any"))],
    "map2_": [(_SELF, Param("x", "Tensor"), Param("y", "Tensor"), Param("callable", "any"))],
    "new": [_any("a", "b", "c")],
    "new_tensor": [
        (_SELF, Param("data", "any"), Param("dtype", "dtype?", False, True), Param("device", "any", False, True))
    ],
    "__getitem__": [(_SELF, Param("index", "any"))],
    "__setitem__": [(_SELF, Param("index", "any"), Param("value", "any"))],
    "__len__": [(_SELF,)],
    "__iter__": [(_SELF,)],
    "__contains__": [(_SELF, Param("element", "any"))],
    "__reversed__": [(_SELF,)],
    "__bool__": [(_SELF,)],
    "__float__": [(_SELF,)],
    "__int__": [(_SELF,)],
    "__index__": [(_SELF,)],
    "__array__": [(_SELF, Param("dtype", "any", False))],
    "__deepcopy__": [(_SELF, Param("memo", "any"))],
    "__dlpack__": [(_SELF,)],
    "__rsub__": [(_SELF, Param("other", "any"))],
    "__rpow__": [(_SELF, Param("other", "any"))],
    "__rdiv__": [(_SELF, Param("other", "any"))],
    "__rtruediv__": [(_SELF, Param("other", "any"))],
    "__rmatmul__": [(_SELF, Param("other", "Tensor"))],
    "__rfloordiv__": [(_SELF, Param("other", "any"))],
    "__rmod__": [(_SELF, Param("other", "any"))],
}

# Operators that PyTorch binds to another method of the same signature.
DUNDERS = {
    "__add__": "add", "__radd__": "add", "__iadd__": "add_",
    "__sub__": "sub", "__isub__": "sub_",
    "__mul__": "mul", "__rmul__": "mul", "__imul__": "mul_",
    "__matmul__": "matmul",
    "__truediv__": "true_divide", "__itruediv__": "true_divide_", "__div__": "div", "__idiv__": "div_",
    "__floordiv__": "floor_divide", "__ifloordiv__": "floor_divide_",
    "__mod__": "remainder", "__imod__": "remainder_",
    "__pow__": "pow", "__ipow__": "pow_",
    "__neg__": "neg", "__pos__": "positive", "__abs__": "abs", "__invert__": "bitwise_not",
    "__eq__": "eq", "__ne__": "ne", "__lt__": "lt", "__le__": "le", "__gt__": "gt", "__ge__": "ge",
    "__and__": "__and__", "__or__": "__or__", "__xor__": "__xor__",
    "__iand__": "__iand__", "__ior__": "__ior__", "__ixor__": "__ixor__",
    "__lshift__": "__lshift__", "__rshift__": "__rshift__", "__ilshift__": "__ilshift__", "__irshift__": "__irshift__",
    "__rand__": "bitwise_and", "__ror__": "bitwise_or", "__rxor__": "bitwise_xor",
}  # fmt: skip

_DATA = Param("data", "any")
_OPTIONS = tuple(Param(name, "any", False, True) for name in ("dtype", "device", "requires_grad", "pin_memory"))

# Functions of torch bound by hand. `shares`: the result may be the memory of that argument.
FUNCTIONS: dict[str, list[tuple[Param, ...]]] = {
    "torch.tensor": [(_DATA, *_OPTIONS)],
    "torch.as_tensor": [(_DATA, Param("dtype", "any", False), Param("device", "any", False))],
    "torch.asarray": [(Param("obj", "any"), *_OPTIONS[:3], Param("copy", "any", False, True))],
    "torch.from_numpy": [(Param("ndarray", "any"),)],
    "torch.frombuffer": [(Param("buffer", "any"), Param("dtype", "any", True, True))],
    "torch.from_dlpack": [(Param("ext_tensor", "any"),)],
    "torch.to_dlpack": [(Param("tensor", "Tensor"),)],
    "torch.utils.dlpack.to_dlpack": [(Param("tensor", "Tensor"),)],
    "torch.range": [(Param("start", "any"), Param("end", "any"), Param("step", "any", False), *_OPTIONS)],
    "torch.numel": [(Param("input", "Tensor"),)],
    "torch.get_device": [(Param("input", "Tensor"),)],
    "torch.sparse_coo_tensor": [
        (Param("indices", "any"), Param("values", "any"), Param("size", "any", False), *_OPTIONS)
    ],
    **{
        f"torch.sparse_{name}_tensor": [
            (Param("crow", "any"), Param("col", "any"), Param("values", "any"), Param("size", "any", False), *_OPTIONS)
        ]
        for name in ("csr", "csc", "bsr", "bsc")
    },
}

# What running on this machine cannot show. A transfer returns the tensor itself if it is already there; the iterator of
# a tensor yields the views of `unbind(0)`.
RESULTS: dict[str, Result] = {
    "torch.Tensor.cuda": Result("maybe", "self"),
    "torch.Tensor.pin_memory": Result("maybe", "self"),
    "torch.Tensor.__dlpack__": Result("view", "self", differentiable=False, tensor=False),
    "torch.to_dlpack": Result("view", "tensor", differentiable=False, tensor=False),
    "torch.utils.dlpack.to_dlpack": Result("view", "tensor", differentiable=False, tensor=False),
    "torch.Tensor.__iter__": Result("view", "self", many=True, sequence=True),
}

# Their schema says that they write, but they touch no element.
NOT_WRITES = frozenset({"torch.Tensor.record_stream"})

# Callables that are not about tensors, or whose result can be anything: they have no entry.
LEFT_OUT = frozenset(
    f"torch.{name}"
    for name in (
        "classproperty", "compile", "cond", "load", "vmap", "while_loop", "sym_fresh_size", "sym_ite", "sym_sum",
        "prepare_multiprocessing_environment", "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12",
        "get_file_path", "thread_safe_generator", "quantized_gru", "quantized_lstm", "eig", "lstsq", "matrix_rank",
        "solve", "symeig", "Tensor.eig", "Tensor.lstsq", "Tensor.solve", "Tensor.symeig", "Tensor.reinforce",
        "nn.functional.assert_int_or_pair", "nn.functional.boolean_dispatch", "nn.functional.handle_torch_function",
        "nn.utils.convert_conv2d_weight_memory_format", "nn.utils.convert_conv3d_weight_memory_format",
        "nn.utils.fuse_conv_bn_eval", "nn.utils.fuse_conv_bn_weights", "nn.utils.fuse_linear_bn_eval",
        "nn.utils.fuse_linear_bn_weights", "nn.utils.remove_spectral_norm", "nn.utils.remove_weight_norm",
        "nn.utils.skip_init", "nn.utils.spectral_norm", "nn.utils.weight_norm", "sparse.as_sparse_gradcheck",
        "sparse.to_sparse_semi_structured", "set_rng_state", "save",
        "quantized_gru_cell", "quantized_lstm_cell", "quantized_rnn_relu_cell", "quantized_rnn_tanh_cell",
        "choose_qparams_optimized", "fused_moving_avg_obs_fake_quant", "fbgemm_linear_fp16_weight",
        "fbgemm_linear_fp16_weight_fp32_activation", "fbgemm_linear_int8_weight",
        "fbgemm_linear_int8_weight_fp32_activation", "fbgemm_pack_quantized_matrix", "fbgemm_linear_quantize_weight",
        "fbgemm_pack_gemm_matrix_fp16", "Tensor.register_post_accumulate_grad_hook", "Tensor.index",
    )
)  # fmt: skip
