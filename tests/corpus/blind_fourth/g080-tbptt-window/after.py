import torch
import torch.nn as nn


class CharRNN(nn.Module):
    def __init__(self, v, h):
        super().__init__()
        self.emb = nn.Embedding(v, h)
        self.ih, self.hh, self.out = nn.Linear(h, h), nn.Linear(h, h), nn.Linear(h, v)

    def step(self, tok, h):
        return torch.tanh(self.ih(self.emb(tok)) + self.hh(h))

    def window(self, toks, h):
        loss = 0.0
        for a, b in zip(toks[:-1], toks[1:]):
            h = self.step(a, h)
            loss = loss + nn.functional.cross_entropy(self.out(h), b)
        return loss, h


def train(net, stream, width, lr=0.1):
    opt = torch.optim.SGD(net.parameters(), lr=lr)
    h = torch.zeros(stream.size(1), net.hh.in_features)
    for i in range(0, len(stream) - 1, width):
        h = h.detach()
        loss, h = net.window(stream[i:i + width + 1], h)
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
    return loss.detach()


def main():
    torch.manual_seed(89)
    net = CharRNN(6, 5)
    loss = train(net, torch.randint(0, 6, (10, 2)), 3)
    return {"loss": loss, "w": net.hh.weight.detach()}


if __name__ == "__main__":
    main()
