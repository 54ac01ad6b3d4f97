import torch
import torch.nn as nn


def freeze_rows(mask):
    def hook(grad):
        return grad.masked_fill(mask.unsqueeze(-1), 0.0)
    return hook


class InputLayer(nn.Module):
    def __init__(self, vocab, length, dim, pad):
        super().__init__()
        self.token = nn.Embedding(vocab, dim)
        self.segment = nn.Linear(2, dim)
        self.pad = pad

    def forward(self, ids, segments):
        base = self.segment(segments)
        words = self.token(ids) * 1.5
        if words.requires_grad:
            words.register_hook(freeze_rows(ids == self.pad))
        return words + base


class Classifier(nn.Module):
    def __init__(self, vocab=14, length=6, dim=8):
        super().__init__()
        self.inputs = InputLayer(vocab, length, dim, pad=0)
        self.body = nn.Sequential(nn.Linear(dim, dim), nn.GELU(), nn.Linear(dim, 3))

    def forward(self, ids, segments):
        return self.body(self.inputs(ids, segments).mean(1))


def main():
    torch.manual_seed(13)
    model = Classifier()
    ids = torch.tensor([[3, 4, 5, 0, 0, 0], [7, 8, 9, 10, 0, 0]])
    segments = nn.functional.one_hot(torch.tensor([[0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 0]]), 2).float()
    loss = nn.functional.cross_entropy(model(ids, segments), torch.tensor([2, 0]))
    loss.backward()
    return {n: p.grad for n, p in model.named_parameters()}


if __name__ == "__main__":
    main()
