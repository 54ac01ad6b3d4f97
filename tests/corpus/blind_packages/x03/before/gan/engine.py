import torch

from . import losses
from .hooks import LogHook, StepHook
from .networks import make_nets


class Trainer:
    def __init__(self, opts):
        torch.manual_seed(1)
        self.opts = opts
        self.gen, self.dis = make_nets(opts)
        self.opt_g = torch.optim.Adam(self.gen.parameters(), lr=opts.lr)
        self.opt_d = torch.optim.Adam(self.dis.parameters(), lr=opts.lr)
        self.logger = LogHook()
        self.hooks = [StepHook(), self.logger]

    def call(self, name, loss):
        for h in self.hooks:
            getattr(h, name)(self, loss)

    def fit(self):
        for _ in range(self.opts.steps):
            real = torch.randn(32, 2).mul_(0.3).add_(1.0)
            fake = self.gen(torch.randn(32, self.opts.zdim))
            d_loss = losses.d_hinge(self.dis(real), self.dis(fake.detach()))
            fake_score = self.dis(fake)
            g_loss = losses.g_hinge(fake_score)
            self.call("after_d", d_loss)
            self.call("after_g", g_loss)
        return self.logger.rows
