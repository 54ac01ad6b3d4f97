from collections import OrderedDict

from torch import nn


def build_critic(cfg):
    return nn.Sequential(
        OrderedDict(
            inp=nn.Linear(cfg.n_in, cfg.hidden),
            act1=nn.ReLU(inplace=True),
            mid=nn.Linear(cfg.hidden, cfg.hidden),
            act2=nn.ReLU(inplace=True),
            out=nn.Linear(cfg.hidden, 1),
        )
    )
