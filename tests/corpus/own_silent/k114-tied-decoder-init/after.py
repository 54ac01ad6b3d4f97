import torch
from torch import nn


class RNNModel(nn.Module):
    def __init__(self, ntoken, dim):
        super().__init__()
        self.encoder = nn.Embedding(ntoken, dim)
        self.rnn = nn.RNN(dim, dim)
        self.decoder = nn.Linear(dim, ntoken)
        self.decoder.weight = self.encoder.weight
        self.init_weights()

    def init_weights(self, r=0.3):
        self.encoder.weight.data.uniform_(-r, r)
        self.decoder.bias.data.zero_()
        self.decoder.weight.data.uniform_(-r, r)

    def init_hidden(self, bsz):
        weight = next(self.parameters()).data
        return weight.new_zeros(1, bsz, weight.size(1))

    def forward(self, ids, hidden):
        out, hidden = self.rnn(self.encoder(ids), hidden)
        return self.decoder(out), hidden


def main():
    torch.manual_seed(135)
    model = RNNModel(8, 4)
    stream = torch.randint(0, 8, (13, 2))
    hidden = model.init_hidden(2)
    for i in range(0, 12, 4):
        model.zero_grad()
        hidden = hidden.detach()
        out, hidden = model(stream[i : i + 4], hidden)
        nn.functional.cross_entropy(out.flatten(0, 1), stream[i + 1 : i + 5].flatten()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        for p in model.parameters():
            p.data = p.data - 0.5 * p.grad
    return dict(model.named_parameters())


if __name__ == "__main__":
    main()
