"""Samples of module classes that ModuleInfo leaves out, and of others what it does not vary."""

from __future__ import annotations

from typing import Any

import torch

_Sample = tuple[tuple[tuple[Any, ...], dict[str, Any]], tuple[Any, ...]]


def _one(*forward: Any, **constructor: Any) -> _Sample:
    return ((), constructor), forward


_RANDOM = torch.Generator().manual_seed(1)


def _r(*size: int) -> torch.Tensor:
    return torch.rand(*size, generator=_RANDOM)


_IMAGE, _ROWS = _r(2, 4, 6, 6), _r(3, 4)
_POOLED, _WHERE = torch.nn.functional.max_pool2d(_IMAGE, 2, return_indices=True)
_POOLED1, _WHERE1 = torch.nn.functional.max_pool1d(_IMAGE[0], 2, return_indices=True)
_POOLED3, _WHERE3 = torch.nn.functional.max_pool3d(_r(1, 4, 4, 4, 4), 2, return_indices=True)

SAMPLES: dict[str, list[_Sample]] = {
    "AdaptiveLogSoftmaxWithLoss": [_one(_ROWS, torch.tensor([0, 3, 7]), in_features=4, n_classes=9, cutoffs=[2, 5])],
    "AlphaDropout": [_one(_ROWS, p=0.5)],
    "ChannelShuffle": [_one(_IMAGE, groups=2)],
    "CosineSimilarity": [_one(_ROWS, _r(3, 4))],
    "CrossMapLRN2d": [_one(_IMAGE, size=2)],
    "Dropout": [_one(_ROWS, p=0.5), _one(_IMAGE, p=0.2)],
    "Dropout1d": [_one(_r(2, 4, 6), p=0.5)],
    "Dropout2d": [_one(_IMAGE, p=0.5)],
    "Dropout3d": [_one(_r(1, 4, 4, 4, 4), p=0.5)],
    "EmbeddingBag": [
        _one(torch.tensor([[0, 2], [3, 1]]), num_embeddings=5, embedding_dim=3),
        _one(torch.tensor([[0, 2], [3, 1]]), num_embeddings=5, embedding_dim=3, mode="sum"),
        _one(torch.tensor([[0, 2], [3, 1]]), num_embeddings=5, embedding_dim=3, mode="max"),
        _one(torch.tensor([[0, 2], [3, 1]]), num_embeddings=5, embedding_dim=3, max_norm=0.1),
    ],
    "Embedding": [
        _one(torch.tensor([[0, 2], [3, 1]]), num_embeddings=5, embedding_dim=3),
        _one(torch.tensor([[0, 2], [3, 1]]), num_embeddings=5, embedding_dim=3, max_norm=0.1),
    ],
    "FeatureAlphaDropout": [_one(_IMAGE, p=0.5)],
    "FractionalMaxPool2d": [
        _one(_IMAGE, kernel_size=2, output_size=3),
        _one(_IMAGE, kernel_size=2, output_size=3, return_indices=True),
    ],
    "FractionalMaxPool3d": [_one(_r(1, 4, 4, 4, 4), kernel_size=2, output_size=2)],
    "Flatten": [_one(_IMAGE), _one(_IMAGE.transpose(1, 3))],
    "Fold": [_one(_r(1, 12, 12), output_size=(4, 5), kernel_size=(2, 2))],
    "Hardsigmoid": [_one(_ROWS - 0.5)],
    "Identity": [_one(_ROWS)],
    "MaxUnpool1d": [_one(_POOLED1, _WHERE1, kernel_size=2)],
    "MaxUnpool2d": [_one(_POOLED, _WHERE, kernel_size=2)],
    "MaxUnpool3d": [_one(_POOLED3, _WHERE3, kernel_size=2)],
    "NLLLoss2d": [_one(_r(2, 4, 3, 3), torch.zeros(2, 3, 3, dtype=torch.long))],
    "PairwiseDistance": [_one(_ROWS, _r(3, 4)), _one(_ROWS, _r(3, 4), p=1.0)],
    "PixelShuffle": [_one(_IMAGE, upscale_factor=2)],
    "PixelUnshuffle": [_one(_IMAGE, downscale_factor=2)],
    "RReLU": [_one(_ROWS - 0.5)],
    "TransformerDecoder": [
        (
            ((torch.nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 1), {}),
            (_r(3, 2, 8), _r(3, 2, 8)),
        )
    ],
    "TripletMarginLoss": [_one(_ROWS, _r(3, 4), _r(3, 4))],
    "TripletMarginWithDistanceLoss": [_one(_ROWS, _r(3, 4), _r(3, 4))],
    "Unflatten": [_one(_ROWS, dim=1, unflattened_size=(2, 2))],
    "Unfold": [_one(_IMAGE, kernel_size=2)],
    "Upsample": [
        _one(_IMAGE, scale_factor=2.0),
        _one(_IMAGE, scale_factor=2.0, mode="bilinear"),
        _one(_IMAGE, scale_factor=2.0, mode="bicubic"),
    ],
    "UpsamplingBilinear2d": [_one(_IMAGE, scale_factor=2.0)],
    "UpsamplingNearest2d": [_one(_IMAGE, scale_factor=2.0)],
    "LeakyReLU": [_one(_ROWS - 0.5)],
    "ELU": [_one(_ROWS - 0.5)],
    "Hardtanh": [_one(_ROWS * 3 - 1.5)],
    "Threshold": [_one(_ROWS, threshold=0.5, value=0.0)],
}
