"""Samples of callables that OpInfo leaves out, and variations that it does not try, one argument at a time."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import torch

Sample = tuple[tuple[Any, ...], dict[str, Any]]


def _s(*args: Any, **kwargs: Any) -> Sample:
    return args, kwargs


def _r(*size: int) -> torch.Tensor:
    return torch.rand(*size) + 0.1


_X, _Y, _V = _r(3, 4), _r(3, 4), _r(4)
_SQUARE = _r(3, 3) + torch.eye(3)
_SEQ, _IMAGE, _VOLUME = _r(2, 4, 6), _r(2, 4, 6, 6), _r(2, 3, 4, 4, 4)
_INDEX = torch.tensor([2, 0])
_MASK = torch.tensor([True, False, True])
_INTS = torch.tensor([[1, 2], [3, 4]])
_SIGNS = torch.tensor([1.0, -1.0, 1.0])
_ARRAY = np.ones((2, 3), dtype=np.float32)
_SPARSE = torch.eye(3).to_sparse()
_LABELS = torch.tensor([1, 0, 3])
_POOL = [_s(_IMAGE, 2), _s(_IMAGE, (2, 2))]
_CELL = (_r(2, 3), _r(2, 4))


def _rnn(gates: int, *, cell: bool) -> tuple[Any, ...]:
    weights = (_r(4 * gates, 3), _r(4 * gates, 4), _r(4 * gates), _r(4 * gates))
    return weights if cell else (list(weights), True, 1, 0.0, True, False, True)


_UNARY = [_s(_X), _s(_V)]
_BINARY = [_s(_X, _Y), _s(_X, 2.0), _s(_X, _r(1, 4))]
_DROP = [_s(_IMAGE, 0.5, True), _s(_IMAGE, 0.2, True), _s(_IMAGE, 0.5, False)]
_ACTIVATION = [_s(_X - 0.6), _s(_SEQ - 0.6), _s(_X - 0.6, inplace=True), _s(_SEQ - 0.6, inplace=True)]

SAMPLES: dict[str, list[Sample]] = {
    # methods bound by hand, operators
    "torch.Tensor.__getitem__": [
        _s(_X, 0),
        _s(_X, (slice(None), 1)),
        _s(_X, None),
        _s(_X, Ellipsis),
        _s(_X, slice(None, None, 2)),
        _s(_X, _INDEX),
        _s(_X, (slice(None), _INDEX)),
        _s(_X, [0, 2]),
        _s(_X, _MASK),
    ],
    "torch.Tensor.__setitem__": [
        _s(_X, 0, 1.5),
        _s(_X, (slice(None), 1), _r(3)),
        _s(_X, 0, _V),
        _s(_X, _INDEX, _r(2, 4)),
        _s(_X, (_INDEX, _INDEX), 2.5),
        _s(_X, _MASK, 0.5),
        _s(_X, _MASK, _r(2, 4)),
        _s(_X, slice(1, 3), _r(2, 4)),
        _s(_X, Ellipsis, _Y),
    ],
    "torch.Tensor.__contains__": [_s(_X, 0.5)],
    "torch.Tensor.__deepcopy__": [],
    "torch.Tensor.__rfloordiv__": [_s(_X, 2.0)],
    "torch.Tensor.__rtruediv__": [_s(_X, 2.0), _s(_V, 3)],
    "torch.Tensor.__rdiv__": [_s(_X, 2.0), _s(_V, 3)],
    "torch.Tensor.__rsub__": [_s(_X, 2.0), _s(_X, _Y)],
    "torch.Tensor.__rpow__": [_s(_X, 2.0), _s(_V, 3)],
    "torch.Tensor.__index__": [_s(torch.tensor(3))],
    "torch.Tensor.__bool__": [_s(torch.tensor(1.0))],
    "torch.Tensor.__float__": [_s(torch.tensor(1.0))],
    "torch.Tensor.__int__": [_s(torch.tensor(1.0))],
    "torch.Tensor.__and__": [_s(_INTS, _INTS), _s(_INTS, 1)],
    "torch.Tensor.__or__": [_s(_INTS, _INTS), _s(_INTS, 4)],
    "torch.Tensor.__xor__": [_s(_INTS, _INTS), _s(_INTS, 1)],
    "torch.Tensor.__iand__": [_s(_INTS, _INTS - 1), _s(_INTS, 1)],
    "torch.Tensor.__ior__": [_s(_INTS, _INTS - 1), _s(_INTS, 4)],
    "torch.Tensor.__ixor__": [_s(_INTS, _INTS - 1), _s(_INTS, 1)],
    "torch.Tensor.to": [
        _s(_X, "cpu"),
        _s(_X, torch.device("cpu")),
        _s(_X, torch.float32),
        _s(_X, torch.float64),
        _s(_X, dtype=torch.float64),
        _s(_X, _Y),
        _s(_X, _Y.double()),
        _s(_X, torch.float32, copy=True),
    ],
    "torch.Tensor.cpu": _UNARY,
    "torch.Tensor.type": [_s(_X), _s(_X, torch.float32), _s(_X, torch.float64)],
    "torch.Tensor.type_as": [_s(_X, _Y), _s(_X, _Y.double())],
    "torch.Tensor.float": [_s(_X), _s(_X.double()), _s(_INTS)],
    "torch.Tensor.double": [_s(_X), _s(_X.double())],
    "torch.Tensor.half": [_s(_X), _s(_X.half())],
    "torch.Tensor.bfloat16": [_s(_X), _s(_X.bfloat16())],
    "torch.Tensor.long": [_s(_X), _s(_INTS)],
    "torch.Tensor.int": [_s(_X), _s(_INTS.int())],
    "torch.Tensor.bool": [_s(_X), _s(_MASK)],
    "torch.Tensor.contiguous": [*_UNARY, _s(_X, memory_format=torch.contiguous_format)],
    "torch.Tensor.numpy": [_s(_X), _s(_X, force=True)],
    "torch.Tensor.requires_grad_": _UNARY,
    "torch.Tensor.apply_": [_s(_X, lambda value: value + 1.0)],
    "torch.Tensor.map_": [_s(_X, _Y, operator.add)],
    "torch.Tensor.map2_": [_s(_X, _Y, _Y, lambda a, b, c: a + b + c)],
    "torch.Tensor.new": [_s(_X), _s(_X, 2, 2)],
    "torch.Tensor.new_tensor": [_s(_X, [1.0, 2.0]), _s(_X, _Y)],
    "torch.Tensor.size": [_s(_X), _s(_X, 0)],
    "torch.Tensor.stride": [_s(_X), _s(_X, 0)],
    "torch.Tensor.set_": [_s(_X, _Y)],
    "torch.Tensor.fill_diagonal_": [_s(_X, 1.5)],
    "torch.Tensor.module_load": [_s(_X, _Y)],
    "torch.Tensor.index": [],
    "torch.Tensor.resize": [_s(_X, 2, 2)],
    "torch.Tensor.resize_as": [_s(_X, _r(2, 2))],
    "torch.Tensor.sspaddmm": [_s(_SPARSE, _SPARSE, _SQUARE)],
    "torch.Tensor.smm": [_s(_SPARSE, _SQUARE)],
    "torch.Tensor.coalesce": [_s(_SPARSE)],
    "torch.Tensor.to_dense": [_s(_X), _s(_SPARSE)],
    "torch.Tensor.prelu": [_s(_X - 0.6, torch.tensor([0.25]))],
    "torch.Tensor.copy_": [_s(_X, _Y), _s(_X, _V)],
    "torch.Tensor.expand": [_s(_V, 3, 4), _s(_V, (3, 4)), _s(_V, -1)],
    "torch.Tensor.slogdet": [_s(_SQUARE)],
    **{
        f"torch.{kind}{name}": [
            _s(_X, 0.2, 0.6),
            _s(_X, min=0.2),
            _s(_X, max=0.6),
            _s(_X, _Y, _Y + 0.1),
            _s(_X, min=_Y),
        ]
        for kind, names in (
            ("", ("clip", "clamp", "clip_", "clamp_")),
            ("Tensor.", ("clip", "clamp", "clip_", "clamp_")),
        )
        for name in names
    },
    "torch.Tensor.where": [_s(_r(3), _MASK, _r(3)), _s(_r(3), _MASK, 0.0)],
    "torch.Tensor.float_power_": [_s(_X.double(), 2.0), _s(_X.double(), _Y.double())],
    "torch.Tensor.divide": [*_BINARY, _s(_X, _Y, rounding_mode="floor"), _s(_X, 2.0, rounding_mode="floor")],
    "torch.Tensor.divide_": [_s(_X, _Y), _s(_X, 2.0), _s(_X, 2.0, rounding_mode="floor")],
    "torch.divide": [*_BINARY, _s(_X, _Y, rounding_mode="floor"), _s(_X, 2.0, rounding_mode="floor")],
    "torch.gradient": [_s(_X), _s(_X, dim=0), _s(_X, spacing=2.0), _s(_X, spacing=[_r(3), _V], dim=[0, 1])],
    "torch.linalg.cond": [_s(_SQUARE), _s(_SQUARE, "fro"), _s(_SQUARE, 2)],
    "torch.unique": [_s(_X), _s(_X, return_inverse=True)],
    "torch.unique_consecutive": [_s(_X)],
    "torch.fake_quantize_per_tensor_affine": [_s(_X, 0.1, 0, 0, 255)],
    "torch.fake_quantize_per_channel_affine": [
        _s(_X, torch.full((3,), 0.1), torch.zeros(3, dtype=torch.int32), 0, 0, 255)
    ],
    # aliases that share no name with an OpInfo
    "torch.slogdet": [_s(_SQUARE)],
    "torch.vander": [_s(_V)],
    "torch.special.gammainc": [_s(_X, _Y)],
    "torch.special.gammaincc": [_s(_X, _Y)],
    "torch.frobenius_norm": [_s(_X, [0, 1]), _s(_X, [1])],
    "torch.nuclear_norm": [_s(_X), _s(_X, [0, 1])],
    "torch.norm_except_dim": [_s(_X)],
    "torch.einsum": [
        _s("ij,jk->ik", _X, _r(4, 2)),
        _s("ij,ij->", _X, _Y),
        _s("bij,bjk->bik", _r(2, 3, 4), _r(2, 4, 3)),
        _s("ij,j->i", _X, _V),
        _s("ij->ji", _X),
        _s("i,i,i->", _V, _r(4), _r(4)),
        _s("ij,jk->ik", [_X, _r(4, 2)]),
    ],
    "torch.chain_matmul": [_s(_X, _r(4, 2)), _s(_X, _r(4, 2), _r(2, 3))],
    "torch.lobpcg": [],
    "torch.matrix_rank": [],
    "torch.tensor": [_s([1.0, 2.0]), _s(_X)],
    "torch.as_tensor": [_s(_X), _s(_ARRAY), _s([1.0]), _s(_X, torch.float64)],
    "torch.asarray": [_s(_X), _s(_ARRAY), _s([1.0]), _s(_X, dtype=torch.float64)],
    "torch.from_numpy": [_s(_ARRAY)],
    "torch.frombuffer": [_s(_ARRAY, dtype=torch.float32)],
    "torch.from_dlpack": [_s(_X), _s(_ARRAY)],
    "torch.range": [_s(0.0, 3.0)],
    "torch.numel": _UNARY,
    "torch.get_device": _UNARY,
    "torch.is_tensor": _UNARY,
    "torch.get_rng_state": [_s()],
    "torch.initial_seed": [_s()],
    "torch.sparse_coo_tensor": [_s(_INTS, torch.tensor([1.0, 2.0]), (4, 5))],
    "torch.sparse.sum": [_s(_SPARSE), _s(_SPARSE, 0)],
    "torch.can_cast": [_s(torch.float32, torch.float64)],
    "torch.promote_types": [_s(torch.float32, torch.float64)],
    "torch.result_type": [_s(_X, _Y)],
    # functions of torch that OpInfo knows under torch.nn.functional only, or not at all
    "torch.dropout": _DROP,
    "torch.dropout_": _DROP,
    "torch.alpha_dropout": _DROP,
    "torch.alpha_dropout_": _DROP,
    "torch.feature_dropout": _DROP,
    "torch.feature_dropout_": _DROP,
    "torch.feature_alpha_dropout": _DROP,
    "torch.feature_alpha_dropout_": _DROP,
    "torch.rrelu": [_s(_X - 0.6)],
    "torch.rrelu_": [_s(_X - 0.6), _s(_X - 0.6, 0.1, 0.3, True)],
    "torch.selu": [_s(_X - 0.6)],
    "torch.selu_": [_s(_X - 0.6)],
    "torch.nn.functional.rrelu_": [_s(_X - 0.6), _s(_X - 0.6, 0.1, 0.3, True)],
    "torch.nn.functional.selu_": [_s(_X - 0.6)],
    "torch.batch_norm": [
        _s(_X, _V, _r(4), torch.zeros(4), torch.ones(4), training, 0.1, 1e-5, False) for training in (True, False)
    ],
    "torch.instance_norm": [_s(_IMAGE, _V, _r(4), None, None, True, 0.1, 1e-5, False)],
    "torch.bilinear": [_s(_X, _r(3, 5), _r(2, 4, 5), _r(2))],
    "torch.cosine_similarity": [_s(_X, _Y)],
    "torch.cosine_embedding_loss": [_s(_X, _Y, _SIGNS)],
    "torch.hinge_embedding_loss": [_s(_r(3), _SIGNS)],
    "torch.margin_ranking_loss": [_s(_r(3), _r(3), _SIGNS)],
    "torch.triplet_margin_loss": [_s(_X, _Y, _r(3, 4))],
    "torch.kl_div": [_s(_X, _Y), _s(_X, _Y, log_target=True)],
    "torch.poisson_nll_loss": [_s(_X, _Y, True, False, 1e-8, 1), _s(_X, _Y, False, False, 1e-8, 1)],
    "torch.ctc_loss": [_s(_r(6, 2, 4).log_softmax(2), torch.tensor([[1, 2], [2, 3]]), (6, 6), (2, 2))],
    "torch.prelu": [_s(_X - 0.6, torch.tensor([0.25])), _s(_IMAGE - 0.6, _V)],
    "torch.pairwise_distance": [_s(_X, _Y)],
    "torch.pdist": [_s(_X)],
    "torch.pixel_shuffle": [_s(_IMAGE, 2)],
    "torch.grid_sampler": [_s(_IMAGE, _r(2, 3, 3, 2), 0, 0, False), _s(_VOLUME, _r(2, 3, 3, 3, 3), 0, 0, False)],
    "torch.embedding_bag": [_s(_r(5, 3), torch.tensor([0, 2, 3]), torch.tensor([0, 1]))],
    "torch.adaptive_avg_pool1d": [_s(_SEQ, 2)],
    "torch.adaptive_max_pool1d": [_s(_SEQ, 2)],
    "torch.avg_pool1d": [_s(_SEQ, 2)],
    "torch.max_pool1d": [_s(_SEQ, 2)],
    "torch.max_pool1d_with_indices": [_s(_SEQ, 2)],
    "torch.max_pool2d": _POOL,
    "torch.max_pool3d": [_s(_VOLUME, 2)],
    "torch.gru_cell": [_s(*_CELL, *_rnn(3, cell=True))],
    "torch.lstm_cell": [_s(_CELL[0], [_CELL[1], _r(2, 4)], *_rnn(4, cell=True))],
    "torch.rnn_tanh_cell": [_s(*_CELL, *_rnn(1, cell=True))],
    "torch.rnn_relu_cell": [_s(*_CELL, *_rnn(1, cell=True))],
    "torch.gru": [_s(_r(2, 5, 3), _r(1, 2, 4), *_rnn(3, cell=False))],
    "torch.lstm": [_s(_r(2, 5, 3), [_r(1, 2, 4), _r(1, 2, 4)], *_rnn(4, cell=False))],
    "torch.rnn_tanh": [_s(_r(2, 5, 3), _r(1, 2, 4), *_rnn(1, cell=False))],
    "torch.rnn_relu": [_s(_r(2, 5, 3), _r(1, 2, 4), *_rnn(1, cell=False))],
    "torch.native_channel_shuffle": [_s(_IMAGE, 2)],
    # torch.nn.functional
    **{
        f"torch.nn.functional.{name}": _ACTIVATION
        for name in (
            "relu",
            "relu6",
            "elu",
            "selu",
            "celu",
            "leaky_relu",
            "silu",
            "mish",
            "hardtanh",
            "hardswish",
            "hardsigmoid",
            "rrelu",
        )
    },  # fmt: skip
    "torch.nn.functional.threshold": [_s(_X, 0.5, 0.0), _s(_X, 0.5, 0.0, inplace=True)],
    **{
        f"torch.nn.functional.{name}": [
            _s(_IMAGE, p=0.5),
            _s(_VOLUME, p=0.2),
            _s(_IMAGE, p=0.5, inplace=True),
            _s(_VOLUME, p=0.3, inplace=True),
            _s(_IMAGE, p=0.5, training=False),
        ]
        for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
    },
    "torch.nn.functional.dropout1d": [_s(_SEQ), _s(_SEQ, 0.3), _s(_SEQ, inplace=True), _s(_SEQ, training=False)],
    "torch.nn.functional.batch_norm": [
        _s(_IMAGE, torch.zeros(4), torch.ones(4), _V, _r(4), training=True),
        _s(_IMAGE, torch.zeros(4), torch.ones(4), _V, _r(4), training=False),
        _s(_IMAGE, torch.zeros(4), torch.ones(4), training=True),
        _s(_IMAGE, torch.zeros(4), torch.ones(4), training=False),
        _s(_IMAGE, None, None, _V, _r(4), training=True),
    ],
    "torch.nn.functional.instance_norm": [
        _s(_IMAGE),
        _s(_IMAGE, torch.zeros(4), torch.ones(4), _V, _r(4)),
        _s(_IMAGE, torch.zeros(4), torch.ones(4), _V, _r(4), use_input_stats=False),
    ],
    "torch.nn.functional.embedding": [
        _s(_INDEX, _r(5, 3)),
        _s(_INTS, _r(5, 3)),
        _s(_INDEX, _r(5, 3), max_norm=0.1),
        _s(_INTS, _r(5, 3), max_norm=0.1),
    ],
    "torch.nn.functional.embedding_bag": [
        _s(_INTS, _r(5, 3)),
        _s(_INTS, _r(5, 3), mode="sum"),
        _s(_INTS, _r(5, 3), mode="max"),
        _s(_INDEX, _r(5, 3), torch.tensor([0, 1])),
        _s(_INTS, _r(5, 3), mode="sum", per_sample_weights=_r(2, 2)),
        _s(_INTS, _r(5, 3), max_norm=0.1),
    ],
    **{
        f"torch.{name}": [
            _s(_IMAGE, _r(3, 4, 3, 3)),
            _s(_IMAGE, _r(3, 4, 3, 3), _r(3), padding="same"),
            _s(_IMAGE, _r(3, 4, 3, 3), padding="valid"),
        ]
        for name in ("conv2d", "nn.functional.conv2d")
    },
    "torch.nn.functional.scaled_dot_product_attention": [
        _s(_r(2, 4, 5, 8), _r(2, 4, 5, 8), _r(2, 4, 5, 8)),
        _s(_r(2, 4, 5, 8), _r(2, 4, 5, 8), _r(2, 4, 5, 8), is_causal=True),
    ],
    "torch.nn.functional.affine_grid": [_s(_r(2, 2, 3), [2, 4, 6, 6])],
    "torch.nn.functional.fold": [_s(_r(1, 12, 12), (4, 5), (2, 2))],
    "torch.nn.functional.gumbel_softmax": [_s(_X), _s(_X, tau=0.5), _s(_X, hard=True)],
    "torch.nn.functional.lp_pool1d": [_s(_SEQ, 2.0, 2), _s(_SEQ, 3.0, 2)],
    "torch.nn.functional.lp_pool2d": [_s(_IMAGE, 2.0, 2)],
    "torch.nn.functional.lp_pool3d": [_s(_VOLUME, 2.0, 2)],
    "torch.nn.functional.upsample": [_s(_IMAGE, scale_factor=2.0), _s(_IMAGE, scale_factor=2.0, mode="bilinear")],
    "torch.nn.functional.interpolate": [
        _s(_IMAGE, scale_factor=2.0),
        _s(_IMAGE, scale_factor=2.0, mode="bilinear"),
        _s(_IMAGE, scale_factor=2.0, mode="bicubic"),
        _s(_IMAGE, scale_factor=2.0, mode="area"),
        _s(_SEQ, scale_factor=2.0, mode="linear"),
        _s(_SEQ, scale_factor=2.0),
    ],
    "torch.nn.functional.max_pool1d_with_indices": [_s(_SEQ, 2)],
    "torch.nn.functional.max_pool2d_with_indices": [_s(_IMAGE, 2)],
    "torch.nn.functional.max_pool3d_with_indices": [_s(_VOLUME, 2)],
    "torch.nn.functional.adaptive_max_pool1d_with_indices": [_s(_SEQ, 2)],
    "torch.nn.functional.adaptive_max_pool2d_with_indices": [_s(_IMAGE, 2)],
    "torch.nn.functional.adaptive_max_pool3d_with_indices": [_s(_VOLUME, 2)],
    "torch.nn.functional.fractional_max_pool2d_with_indices": [_s(_IMAGE, 2, output_size=3)],
    "torch.nn.functional.fractional_max_pool3d_with_indices": [_s(_VOLUME, 2, output_size=2)],
    "torch.nn.functional.native_channel_shuffle": [_s(_IMAGE, 2)],
    "torch.where": [
        _s(_MASK, _r(3), _r(3)),
        _s(_MASK, _r(3), 0.0),
        _s(_MASK, 0.0, _r(3)),
        _s(_MASK),
        _s(_MASK, 0.0, 1.0),
    ],
    # fused optimizer kernels
    "torch._fused_sgd_": [
        _s(
            [_X],
            [_Y],
            [_r(3, 4)],
            weight_decay=0.0,
            momentum=0.5,
            lr=0.1,
            dampening=0.0,
            nesterov=False,
            maximize=False,
            is_first_step=False,
        )
    ],
    "torch._fused_adagrad_": [
        _s(
            [_X],
            [_Y],
            [_r(3, 4)],
            [torch.tensor(1.0)],
            lr=0.1,
            lr_decay=0.0,
            weight_decay=0.0,
            eps=1e-8,
            maximize=False,
        )
    ],
    **{
        f"torch.{name}": [
            _s(
                [_X],
                [_Y],
                [_r(3, 4)],
                [_r(3, 4)],
                [],
                [torch.tensor(1.0)],
                lr=0.1,
                beta1=0.9,
                beta2=0.99,
                weight_decay=0.0,
                eps=1e-8,
                amsgrad=False,
                maximize=False,
            )
        ]
        for name in ("_fused_adam_", "_fused_adamw_")
    },
    # torch.nn.init, with and without the underscore
    **{
        f"torch.nn.init.{name}": [_s(_X), _s(_SQUARE)]
        for name in (
            "normal_",
            "normal",
            "uniform_",
            "uniform",
            "trunc_normal_",
            "ones_",
            "zeros_",
            "eye_",
            "eye",
            "xavier_normal_",
            "xavier_normal",
            "xavier_uniform_",
            "xavier_uniform",
            "kaiming_normal_",
            "kaiming_normal",
            "kaiming_uniform_",
            "kaiming_uniform",
            "orthogonal_",
            "orthogonal",
        )
    },  # fmt: skip
    "torch.nn.init.constant_": [_s(_X, 0.5), _s(_V, 0.5)],
    "torch.nn.init.constant": [_s(_X, 0.5)],
    "torch.nn.init.dirac_": [_s(_SEQ), _s(_IMAGE)],
    "torch.nn.init.dirac": [_s(_SEQ)],
    "torch.nn.init.sparse_": [_s(_X, 0.3)],
    "torch.nn.init.sparse": [_s(_X, 0.3)],
    "torch.nn.init.calculate_gain": [_s("relu")],
    # torch.nn.utils
    "torch.nn.utils.parameters_to_vector": [_s([_X, _V])],
    "torch.nn.utils.vector_to_parameters": [_s(_r(16), [_X, _V])],
    "torch.nn.utils.clip_grad_norm_": [_s([_X, _V], 1.0)],
    "torch.nn.utils.clip_grad_norm": [_s([_X, _V], 1.0)],
    "torch.nn.utils.clip_grad_value_": [_s([_X, _V], 1.0)],
    "torch.nn.utils.clip_grads_with_norm_": [_s([_X, _V], 1.0, torch.tensor(2.0))],
    "torch.nn.utils.get_total_norm": [_s([_X, _V])],
}

# Tried on a callable that has no samples of its own; those that its signature or the call refuses are dropped.
GENERIC: list[Sample] = [
    *_UNARY, *_BINARY, _s(_SQUARE), _s(_X - 0.5), _s(_INTS), _s(_INTS, _INTS), _s(_X, 0, 1), _s(2.0, _X),
    _s(torch.tensor(1.0)),
]  # fmt: skip
