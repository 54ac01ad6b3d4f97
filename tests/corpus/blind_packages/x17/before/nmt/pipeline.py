from torch import nn

from . import coverage
from .decoder import Decoder
from .types import StepState


class Pipeline(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.vocab = vocab
        self.emb = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.dec = Decoder(vocab, dim)

    def forward(self, src):
        state = StepState(hidden=self.emb(src), counts=coverage.count_tokens(src, self.vocab))
        state = self.dec.score(state)
        return coverage.penalise(state)

    @staticmethod
    def criterion(state, tgt):
        return -state.logp.gather(1, tgt[:, None]).mean()
