import torch
from torch import nn


def repackage_hidden(h):
    if isinstance(h, torch.Tensor):
        return h.detach()
    return type(h)(repackage_hidden(v) for v in h)


class RNNModel(nn.Module):
    def __init__(self, vocab, dim, layers):
        super().__init__()
        self.encoder = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, layers)
        self.decoder = nn.Linear(dim, vocab)
        self.layers, self.dim = layers, dim

    def init_hidden(self, batch):
        weight = next(self.parameters())
        return torch.stack([weight.new_zeros(self.layers, batch, self.dim) for _ in range(2)])

    def forward(self, ids, state):
        h, c = state
        out, (h, c) = self.rnn(self.encoder(ids), (h, c))
        return self.decoder(out), torch.stack([h, c])


def batches(source, bptt):
    for i in range(0, source.size(0) - 1, bptt):
        n = min(bptt, source.size(0) - 1 - i)
        yield source[i : i + n], source[i + 1 : i + 1 + n].reshape(-1)


def train(model, source, bptt, lr):
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(model.parameters(), lr=lr)
    state = model.init_hidden(source.size(1))
    total = 0.0
    for data, target in batches(source, bptt):
        state = torch.stack(repackage_hidden(list(state)))
        opt.zero_grad()
        output, state = model(data, state)
        loss = criterion(output.flatten(0, 1), target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        total += loss.item()
    return total


def main():
    torch.manual_seed(0)
    model = RNNModel(12, 5, 2)
    train(model, torch.randint(0, 12, (9, 2)), bptt=4, lr=0.5)
    return {n: p.detach() for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
