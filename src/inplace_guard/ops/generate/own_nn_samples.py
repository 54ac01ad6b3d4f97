"""Our own samples of torch.nn.functional, torch.nn.init and torch.nn.utils."""

from __future__ import annotations

import torch

from inplace_guard.ops.generate.own_values import IMAGE, INDEX, INTS, SEQ, SQUARE, VOLUME, Sample, V, X, r, s

_ACTIVATION = [s(X - 0.6), s(SEQ - 0.6), s(X - 0.6, inplace=True), s(SEQ - 0.6, inplace=True)]

SAMPLES: dict[str, list[Sample]] = {
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
    },
    "torch.nn.functional.threshold": [s(X, 0.5, 0.0), s(X, 0.5, 0.0, inplace=True)],
    **{
        f"torch.nn.functional.{name}": [
            s(IMAGE, p=0.5),
            s(VOLUME, p=0.2),
            s(IMAGE, p=0.5, inplace=True),
            s(VOLUME, p=0.3, inplace=True),
            s(IMAGE, p=0.5, training=False),
        ]
        for name in ("dropout", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout")
    },
    "torch.nn.functional.dropout1d": [s(SEQ), s(SEQ, 0.3), s(SEQ, inplace=True), s(SEQ, training=False)],
    "torch.nn.functional.batch_norm": [
        s(IMAGE, torch.zeros(4), torch.ones(4), V, r(4), training=True),
        s(IMAGE, torch.zeros(4), torch.ones(4), V, r(4), training=False),
        s(IMAGE, torch.zeros(4), torch.ones(4), training=True),
        s(IMAGE, torch.zeros(4), torch.ones(4), training=False),
        s(IMAGE, None, None, V, r(4), training=True),
    ],
    "torch.nn.functional.instance_norm": [
        s(IMAGE),
        s(IMAGE, torch.zeros(4), torch.ones(4), V, r(4)),
        s(IMAGE, torch.zeros(4), torch.ones(4), V, r(4), use_input_stats=False),
    ],
    "torch.nn.functional.embedding": [
        s(INDEX, r(5, 3)),
        s(INTS, r(5, 3)),
        s(INDEX, r(5, 3), max_norm=0.1),
        s(INTS, r(5, 3), max_norm=0.1),
    ],
    "torch.nn.functional.embedding_bag": [
        s(INTS, r(5, 3)),
        s(INTS, r(5, 3), mode="sum"),
        s(INTS, r(5, 3), mode="max"),
        s(INDEX, r(5, 3), torch.tensor([0, 1])),
        s(INTS, r(5, 3), mode="sum", per_sample_weights=r(2, 2)),
        s(INTS, r(5, 3), max_norm=0.1),
    ],
    **{
        f"torch.{name}": [
            s(IMAGE, r(3, 4, 3, 3)),
            s(IMAGE, r(3, 4, 3, 3), r(3), padding="same"),
            s(IMAGE, r(3, 4, 3, 3), padding="valid"),
        ]
        for name in ("conv2d", "nn.functional.conv2d")
    },
    "torch.nn.functional.scaled_dot_product_attention": [
        s(r(2, 4, 5, 8), r(2, 4, 5, 8), r(2, 4, 5, 8)),
        s(r(2, 4, 5, 8), r(2, 4, 5, 8), r(2, 4, 5, 8), is_causal=True),
    ],
    "torch.nn.functional.affine_grid": [s(r(2, 2, 3), [2, 4, 6, 6])],
    "torch.nn.functional.fold": [s(r(1, 12, 12), (4, 5), (2, 2))],
    "torch.nn.functional.gumbel_softmax": [s(X), s(X, tau=0.5), s(X, hard=True)],
    "torch.nn.functional.lp_pool1d": [s(SEQ, 2.0, 2), s(SEQ, 3.0, 2)],
    "torch.nn.functional.lp_pool2d": [s(IMAGE, 2.0, 2)],
    "torch.nn.functional.lp_pool3d": [s(VOLUME, 2.0, 2)],
    "torch.nn.functional.upsample": [s(IMAGE, scale_factor=2.0), s(IMAGE, scale_factor=2.0, mode="bilinear")],
    "torch.nn.functional.interpolate": [
        s(IMAGE, scale_factor=2.0),
        s(IMAGE, scale_factor=2.0, mode="bilinear"),
        s(IMAGE, scale_factor=2.0, mode="bicubic"),
        s(IMAGE, scale_factor=2.0, mode="area"),
        s(SEQ, scale_factor=2.0, mode="linear"),
        s(SEQ, scale_factor=2.0),
    ],
    "torch.nn.functional.max_pool1d_with_indices": [s(SEQ, 2)],
    "torch.nn.functional.max_pool2d_with_indices": [s(IMAGE, 2)],
    "torch.nn.functional.max_pool3d_with_indices": [s(VOLUME, 2)],
    "torch.nn.functional.adaptive_max_pool1d_with_indices": [s(SEQ, 2)],
    "torch.nn.functional.adaptive_max_pool2d_with_indices": [s(IMAGE, 2)],
    "torch.nn.functional.adaptive_max_pool3d_with_indices": [s(VOLUME, 2)],
    "torch.nn.functional.fractional_max_pool2d_with_indices": [s(IMAGE, 2, output_size=3)],
    "torch.nn.functional.fractional_max_pool3d_with_indices": [s(VOLUME, 2, output_size=2)],
    "torch.nn.functional.native_channel_shuffle": [s(IMAGE, 2)],
    # torch.nn.init, with and without the underscore
    **{
        f"torch.nn.init.{name}": [s(X), s(SQUARE)]
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
    },
    "torch.nn.init.constant_": [s(X, 0.5), s(V, 0.5)],
    "torch.nn.init.constant": [s(X, 0.5)],
    "torch.nn.init.dirac_": [s(SEQ), s(IMAGE)],
    "torch.nn.init.dirac": [s(SEQ)],
    "torch.nn.init.sparse_": [s(X, 0.3)],
    "torch.nn.init.sparse": [s(X, 0.3)],
    "torch.nn.init.calculate_gain": [s("relu")],
    # torch.nn.utils
    "torch.nn.utils.parameters_to_vector": [s([X, V])],
    "torch.nn.utils.vector_to_parameters": [s(r(16), [X, V])],
    "torch.nn.utils.clip_grad_norm_": [s([X, V], 1.0)],
    "torch.nn.utils.clip_grad_norm": [s([X, V], 1.0)],
    "torch.nn.utils.clip_grad_value_": [s([X, V], 1.0)],
    "torch.nn.utils.clip_grads_with_norm_": [s([X, V], 1.0, torch.tensor(2.0))],
    "torch.nn.utils.get_total_norm": [s([X, V])],
}
