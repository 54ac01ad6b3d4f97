import torch
import torch.nn as nn


class CharLSTM(nn.Module):
    def __init__(self, chars, hidden, layers=2):
        super().__init__()
        self.encoder = nn.Embedding(chars, hidden)
        self.cells = nn.ModuleList(nn.LSTMCell(hidden, hidden) for _ in range(layers))
        self.decoder = nn.Linear(hidden, chars)
        self.state = None

    def reset(self, batch):
        zeros = torch.zeros(batch, self.decoder.in_features)
        self.state = [(zeros, zeros) for _ in self.cells]

    def step(self, char):
        x = self.encoder(char)
        for i, cell in enumerate(self.cells):
            h, c = cell(x, self.state[i])
            self.state[i] = (h, c)
            x = h
        return self.decoder(x)


def batches(ids, width):
    for start in range(0, ids.size(1) - width, width):
        yield ids[:, start:start + width + 1]


def train(model, ids, width, lr=0.02):
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    model.reset(ids.size(0))
    for chunk in batches(ids, width):
        model.zero_grad()
        model.state = [(h.detach(), c.detach()) for h, c in model.state]
        loss = torch.zeros(())
        for now, following in zip(chunk.unbind(1), chunk[:, 1:].unbind(1)):
            loss = loss + nn.functional.cross_entropy(model.step(now), following)
        loss.backward(retain_graph=True)
        optimizer.step()
    return loss.detach() / width


def main():
    torch.manual_seed(50)
    model = CharLSTM(9, 6)
    loss = train(model, torch.randint(0, 9, (2, 10)), width=3)
    return {"loss": loss, "decoder": model.decoder.weight.grad}


if __name__ == "__main__":
    main()
