import torch
from torch import nn


class LocationLayer(nn.Module):
    def __init__(self, filters, dim):
        super().__init__()
        self.conv = nn.Conv1d(2, filters, 3, padding=1, bias=False)
        self.dense = nn.Linear(filters, dim, bias=False)

    def forward(self, weights_cat):
        return self.dense(self.conv(weights_cat).transpose(1, 2))


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.query = nn.Linear(dim, dim, bias=False)
        self.memory = nn.Linear(dim, dim, bias=False)
        self.location = LocationLayer(3, dim)
        self.v = nn.Linear(dim, 1, bias=False)

    def forward(self, hidden, memory, processed, weights_cat):
        energies = self.v(torch.tanh(self.query(hidden.unsqueeze(1)) + self.location(weights_cat) + processed)).squeeze(-1)
        weights = energies.softmax(dim=1)
        return torch.bmm(weights.unsqueeze(1), memory).squeeze(1), weights


class Decoder(nn.Module):
    def __init__(self, mels, dim):
        super().__init__()
        self.prenet = nn.Linear(mels, dim)
        self.rnn = nn.LSTMCell(2 * dim, dim)
        self.attention = Attention(dim)
        self.project = nn.Linear(2 * dim, mels)
        self.dim = dim

    def initialize_decoder_states(self, memory):
        b, t, _ = memory.shape
        self.hidden, self.cell = memory.new_zeros(b, self.dim), memory.new_zeros(b, self.dim)
        self.attention_weights = memory.new_zeros(b, t)
        self.attention_weights_cum = memory.new_zeros(b, t)
        self.context = memory.new_zeros(b, self.dim)
        self.memory, self.processed = memory, self.attention.memory(memory)

    def decode(self, frame):
        self.hidden, self.cell = self.rnn(torch.cat((torch.relu(self.prenet(frame)), self.context), -1), (self.hidden, self.cell))
        weights_cat = torch.cat((self.attention_weights.unsqueeze(1), self.attention_weights_cum.unsqueeze(1)), dim=1)
        self.context, self.attention_weights = self.attention(self.hidden, self.memory, self.processed, weights_cat)
        self.attention_weights_cum += self.attention_weights
        return self.project(torch.cat((self.hidden, self.context), dim=1))

    def forward(self, memory, frames):
        self.initialize_decoder_states(memory)
        return torch.stack([self.decode(f) for f in frames.unbind(1)], dim=1)


def main():
    torch.manual_seed(0)
    decoder = Decoder(mels=4, dim=5)
    memory, mel = torch.randn(2, 6, 5), torch.randn(2, 4, 4)
    out = decoder(memory, torch.cat([torch.zeros(2, 1, 4), mel[:, :-1]], dim=1))
    nn.functional.mse_loss(out, mel).backward()
    return {n: p.grad for n, p in decoder.named_parameters()}


if __name__ == "__main__":
    main()
