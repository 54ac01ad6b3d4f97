import torch
from torch import nn

from .carry import Carry


class RecurrentActor(nn.Module):
    def __init__(self, d_obs, hidden, n_act):
        super().__init__()
        self.cell = nn.GRUCell(d_obs, hidden)
        self.pi = nn.Linear(hidden, n_act)

    def initial_state(self, n):
        return Carry(torch.zeros(n, self.cell.hidden_size))

    def forward(self, obs, state):
        h = self.cell(obs, state.h)
        return self.pi(h), Carry(h)
