import torch
import torch.nn as nn


def init_lstm(rnn):
    for name, p in rnn.named_parameters():
        if "bias_ih" in name:
            n = p.size(0)
            p.data = torch.cat([torch.zeros(n // 4), torch.ones(n // 2 - n // 4), torch.zeros(n - n // 2)])
        elif "bias_hh" in name:
            p.data = torch.zeros_like(p)
        elif "weight_hh" in name:
            p.data = torch.eye(p.size(1)).repeat(4, 1)


class Tagger(nn.Module):
    def __init__(self, words, tags, dim=6):
        super().__init__()
        self.embed = nn.Embedding(words, dim)
        self.rnn = nn.LSTM(dim, dim, num_layers=2, batch_first=True)
        self.emit = nn.Linear(dim, tags)
        init_lstm(self.rnn)

    def forward(self, ids):
        return self.emit(self.rnn(self.embed(ids))[0])


def main():
    torch.manual_seed(93)
    model = Tagger(20, 4)
    ids, tags = torch.randint(0, 20, (3, 5)), torch.randint(0, 4, (3, 5))
    opt = torch.optim.Adagrad(model.parameters(), lr=0.1)
    for _ in range(2):
        opt.zero_grad()
        loss = nn.functional.cross_entropy(model(ids).transpose(1, 2), tags)
        loss.backward()
        opt.step()
    return {"loss": loss.detach(), **{n: p.grad for n, p in model.named_parameters()}}


if __name__ == "__main__":
    main()
