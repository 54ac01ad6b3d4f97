class Loop:
    def __init__(self, model, optimizer, callbacks=()):
        self.model = model
        self.optimizer = optimizer
        self.callbacks = list(callbacks)

    def emit(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    def loss(self, x, t):
        log_rate = self.model(x)
        nll = log_rate.exp() * t
        nll -= log_rate
        return nll.mean()

    def step(self, x, t):
        self.optimizer.zero_grad()
        loss = self.loss(x, t)
        self.emit("on_loss", loss)
        loss.backward()
        self.emit("on_backward_end")
        self.optimizer.step()
        self.emit("on_step_end")
