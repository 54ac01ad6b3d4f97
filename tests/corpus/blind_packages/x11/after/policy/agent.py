import torch
from torch import nn

from .conf import AgentConf


class Agent(nn.Module):
    def __init__(self, conf: AgentConf):
        super().__init__()
        self.fc = nn.Linear(conf.obs_dim, conf.hidden)
        self.mu = nn.Linear(conf.hidden, conf.act_dim)
        self.pre_act = conf.pre_act
        self.post_act = conf.post_act
        self.pre_head = conf.pre_head

    def forward(self, obs):
        h = self.pre_act(self.fc(obs))
        h = torch.tanh(h)
        h = self.post_act(h)
        return self.pre_head(self.mu(h))


def make_agent(conf):
    return Agent(conf)
