import torch

from .memory import workspace


class Assigner:
    def __init__(self, topk):
        self.topk = topk

    @torch.no_grad()
    def __call__(self, scores):
        ranked = workspace(scores)
        ranked -= ranked.mean(0)
        idx = ranked.max(1).values.topk(self.topk).indices
        sel = torch.zeros(len(scores))
        sel[idx] = 1.0
        return sel
