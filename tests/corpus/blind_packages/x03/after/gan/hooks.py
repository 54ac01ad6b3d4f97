class Hook:
    def after_d(self, trainer, loss):
        pass

    def after_g(self, trainer, loss):
        pass


class StepHook(Hook):
    """Backward + step, kept out of the loop so that AMP can replace it."""

    def after_d(self, trainer, loss):
        trainer.opt_d.zero_grad()
        loss.backward(retain_graph=True)
        trainer.opt_d.step()

    def after_g(self, trainer, loss):
        trainer.opt_g.zero_grad()
        loss.backward()
        trainer.opt_g.step()


class LogHook(Hook):
    def __init__(self):
        self.rows = []

    def after_d(self, trainer, loss):
        self.rows.append({"d": loss.item()})

    def after_g(self, trainer, loss):
        self.rows[-1]["g"] = loss.item()
        self.rows[-1]["gnorm"] = sum(p.grad.norm().item() for p in trainer.gen.parameters())
