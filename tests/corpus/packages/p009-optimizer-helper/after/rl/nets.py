import torch
from torch import nn


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(5, 8)
        self.out = nn.Linear(8, 1)

    def forward(self, state, action):
        return self.out(torch.relu(self.hidden(torch.cat([state, action], -1))))


class Actor(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(3, 2)

    def forward(self, state):
        return torch.tanh(self.out(state))
