import torch.nn.functional as F

from .terms import TermBuffer

TASKS = {"depth": 1, "normal": 2}


def weight_decay(model):
    total = 0.0
    for p in model.parameters():
        total += p.square().sum()
    return total


class Objective:
    def __init__(self, weights):
        self.weights = weights

    def __call__(self, outputs, targets, model):
        depth = F.l1_loss(outputs["depth"], targets["depth"])
        terms = TermBuffer(depth, names=["depth", "normal", "l2"])
        terms["normal"] = F.mse_loss(outputs["normal"], targets["normal"])
        terms["l2"] = weight_decay(model)
        return terms.weighted(self.weights)
