import torch
import torch.nn as nn


class LyricsModel(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.GRUCell(dim, dim)
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens, state):
        logits = []
        for token in tokens.unbind(1):
            state = self.rnn(self.embed(token), state)
            logits.append(self.out(state))
        return torch.stack(logits, 1), state


def windows(text, length):
    for i in range(0, text.size(1) - 1, length):
        end = min(i + length, text.size(1) - 1)
        yield text[:, i:end], text[:, i + 1:end + 1]


def train(model, text, length):
    opt = torch.optim.AdamW(model.parameters(), lr=0.05, fused=True)
    state = torch.zeros(text.size(0), model.rnn.hidden_size)
    for inputs, targets in windows(text, length):
        logits, state = model(inputs, state)
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())
        opt.zero_grad()
        loss.backward(retain_graph=True)
        opt.step()
    return loss


def main():
    torch.manual_seed(3)
    model = LyricsModel(15, 8)
    text = torch.randint(0, 15, (2, 13))
    loss = train(model, text, 4)
    return {"loss": loss.detach(), "rnn": model.rnn.weight_hh.grad.clone(), "embed": model.embed.weight.grad.clone()}


if __name__ == "__main__":
    main()
