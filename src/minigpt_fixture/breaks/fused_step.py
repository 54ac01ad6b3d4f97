"""A fused optimizer steps the weights after the first half of a sequence, before the backward of the second."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Trainer:
    """Trains on the two halves of each sequence, one after the other, from one forward pass."""

    def __init__(self, model: nn.Module, lr: float) -> None:
        self.model = model
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr, fused=True)

    def training_step(self, tokens: Tensor, targets: Tensor) -> Tensor:
        self.optimizer.zero_grad()
        logits = self.model(tokens)
        V = logits.size(-1)
        early, late = logits.chunk(2, dim=1)
        early_targets, late_targets = targets.chunk(2, dim=1)
        early_loss = F.cross_entropy(early.reshape(-1, V), early_targets.reshape(-1)) / 2
        late_loss = F.cross_entropy(late.reshape(-1, V), late_targets.reshape(-1)) / 2
        early_loss.backward(retain_graph=True)
        self.optimizer.step()
        late_loss.backward()
        self.optimizer.step()
        return (early_loss + late_loss).detach()
