from torch import nn


class BaseStage(nn.Module):
    """pre -> body -> post; subclasses change single steps."""

    def __init__(self, ch):
        super().__init__()
        self.ch = ch
        self.body = self.make_body()

    def make_body(self):
        raise NotImplementedError

    def pre(self, x):
        return x

    def post(self, y, x):
        return y

    def forward(self, x):
        x = self.pre(x)
        y = self.body(x)
        return self.post(y, x)
