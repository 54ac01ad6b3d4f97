import torch
from torch import Tensor, nn


def repackage(state):
    if isinstance(state, Tensor):
        return state.detach()
    return tuple(repackage(s) for s in state)


class LanguageModel(nn.Module):
    def __init__(self, vocab, width, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, layers)
        self.out = nn.Linear(width, vocab)

    def init_state(self, batch):
        zeros = torch.zeros(self.rnn.num_layers, batch, self.rnn.hidden_size)
        return zeros, zeros.clone()

    def forward(self, ids, state):
        y, state = self.rnn(self.embed(ids), state)
        return self.out(y), state


def train(model, corpus, bptt, lr):
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    state = model.init_state(corpus.shape[1])
    total = 0.0
    for start in range(0, len(corpus) - 1, bptt):
        x, y = corpus[start : start + bptt], corpus[start + 1 : start + 1 + bptt]
        state = repackage(state)
        logits, state = model(x[: len(y)], state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), y.flatten())
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        total += loss.item() * len(y)
    return total / (len(corpus) - 1)


def main():
    torch.manual_seed(84)
    model = LanguageModel(9, 4)
    avg = train(model, torch.randint(0, 9, (10, 3)), bptt=3, lr=0.5)
    return {"avg": torch.tensor(avg), **{n: p.grad.clone() for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
