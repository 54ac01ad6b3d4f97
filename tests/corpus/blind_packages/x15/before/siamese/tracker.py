import torch


class Tracker:
    """Exponential average kept in a tensor that is owned by somebody else."""

    def __init__(self, momentum):
        self.momentum = momentum

    @torch.no_grad()
    def update_(self, target, batch):
        target.mul_(1 - self.momentum).add_(batch.std(0), alpha=self.momentum)
