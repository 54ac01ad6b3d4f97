import torch

from .types import StepState

WEIGHT = 0.1


def count_tokens(src, vocab):
    counts = torch.zeros(src.size(0), vocab)
    counts.scatter_add_(1, src, torch.ones(src.shape))
    return counts


def penalise(state: StepState) -> StepState:
    pen = state.counts.clone()
    pen.clamp_(max=3).mul_(WEIGHT)
    state.logp = state.logp - pen
    state.notes["penalty"] = pen.sum().item()
    return state
