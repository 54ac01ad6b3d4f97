from .constraints import MaxNorm


class Callback:
    def on_loss(self, loop, loss):
        """The loss is known, nothing was propagated yet."""

    def on_backward_end(self, loop):
        """Gradients are ready."""

    def on_step_end(self, loop):
        """Weights were updated."""


class ConstraintCallback(Callback):
    def __init__(self, bound):
        self.rule = MaxNorm(bound)

    def on_step_end(self, loop):
        for p in loop.model.parameters():
            if p.ndim == 2:
                self.rule(p)


class GradPrinter(Callback):
    def on_backward_end(self, loop):
        for n, p in loop.model.named_parameters():
            print(n, f"{p.grad.norm().item():.6f}")
