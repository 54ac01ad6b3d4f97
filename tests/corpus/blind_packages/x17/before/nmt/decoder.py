import torch.nn.functional as F
from torch import nn

from .types import StepState


class Decoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.out = nn.Linear(dim, vocab)

    def score(self, state: StepState) -> StepState:
        logits = self.out(state.hidden)
        logits /= 0.8
        state.logp = F.log_softmax(logits, dim=-1)
        return state
