import torch
from torch import nn

from .ops import Track, add_


class SequenceModel(nn.Module):
    def __init__(self, d_in, hidden):
        super().__init__()
        self.cell = nn.RNNCell(d_in, hidden)
        self.read = nn.Linear(hidden, 1)

    def fresh_state(self, batch):
        return torch.zeros(batch, self.cell.hidden_size)

    def window_loss(self, chunk, target, state):
        track = Track(state.new_zeros(()))
        energy = torch.exp(-state.square().sum())
        for x, y in zip(chunk, target):
            state = self.cell(x, state)
            gate = torch.sigmoid(self.read(state)).squeeze(-1)
            track += (gate - y).square().mean()
            energy = add_(energy, 0.01 * gate.sum())
        track *= 1.0 / len(chunk)
        return track.value + 0.1 * energy, state
