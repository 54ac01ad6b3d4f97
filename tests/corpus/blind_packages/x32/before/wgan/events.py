import copy

import torch


def fire(callbacks, event, *args):
    for cb in callbacks:
        handler = getattr(cb, event, None)
        if handler is not None:
            handler(*args)


class ClipCallback:
    def __init__(self, bound):
        self.bound = bound

    def critic_stepped(self, critic):
        for p in critic.parameters():
            p.data.clamp_(-self.bound, self.bound)


class EmaCallback:
    def __init__(self, model, decay):
        self.decay = decay
        self.ema = copy.deepcopy(model).requires_grad_(False)

    @torch.no_grad()
    def generator_stepped(self, gen):
        for e, p in zip(self.ema.parameters(), gen.parameters()):
            e.lerp_(p, 1 - self.decay)
