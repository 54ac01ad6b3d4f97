import torch


def track_(buffer, value, momentum):
    buffer.mul_(1 - momentum).add_(value, alpha=momentum)


class RunningMixin:
    def init_running(self, dim):
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("var", torch.ones(dim))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def observe(self, mean, var):
        self.steps += 1
        m = max(0.1, 1.0 / int(self.steps))
        track_(self.mean, mean, m)
        track_(self.var, var, m)
