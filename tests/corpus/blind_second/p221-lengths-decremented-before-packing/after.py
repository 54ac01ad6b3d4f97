import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def strip_eos(tokens, lengths):
    lengths = (lengths - 1).clamp(min=1)
    return tokens[:, :int(lengths.max())], lengths


def sequence_mask(lengths, width):
    return torch.arange(width).unsqueeze(0) < lengths.unsqueeze(1)


class SentenceEncoder(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, batch_first=True)

    def forward(self, tokens, lengths):
        tokens, lengths = strip_eos(tokens, lengths)
        packed = pack_padded_sequence(self.embed(tokens), lengths, batch_first=True, enforce_sorted=False)
        out, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        mask = sequence_mask(lengths, out.size(1)).unsqueeze(-1)
        return (out * mask).sum(1) / lengths.unsqueeze(1)


class Siamese(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, a, b):
        return torch.exp(-(self.encoder(*a) - self.encoder(*b)).abs().sum(1))


def main():
    torch.manual_seed(101)
    model = Siamese(SentenceEncoder(12, 5))
    a = torch.randint(0, 12, (3, 6)), torch.tensor([6, 3, 1])
    b = torch.randint(0, 12, (3, 7)), torch.tensor([2, 7, 5])
    loss = (model(a, b) - torch.tensor([1.0, 0.0, 0.5])).pow(2).mean()
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
