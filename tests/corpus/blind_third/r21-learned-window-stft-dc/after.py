import torch
import torch.nn as nn


class LearnedFrontend(nn.Module):
    """Pre-emphasis, learned analysis window and filterbank."""

    def __init__(self, win=8, hop=4, bands=5):
        super().__init__()
        self.win, self.hop = win, hop
        self.window = nn.Parameter(torch.hann_window(win))
        self.bank = nn.Linear(win, bands)
        self.preemph = nn.Parameter(torch.tensor(0.95))
        self.energy = nn.Linear(1, bands)

    def forward(self, wav):
        wav = wav[:, 1:] - self.preemph * wav[:, :-1]
        frames = wav.unfold(-1, self.win, self.hop)
        feats = self.bank(frames * self.window)
        wav = wav - wav.mean(dim=-1, keepdim=True)
        level = wav.abs().mean(dim=-1, keepdim=True).add(1e-5).log()
        return torch.relu(feats + self.energy(level).unsqueeze(1))


def main():
    torch.manual_seed(44)
    front = LearnedFrontend()
    rnn = nn.GRU(5, 6, batch_first=True)
    cls = nn.Linear(6, 2)
    params = [*front.parameters(), *rnn.parameters(), *cls.parameters()]
    opt = torch.optim.SGD(params, lr=0.1, momentum=0.9)
    wav, label = torch.randn(3, 33), torch.tensor([0, 1, 1])
    opt.zero_grad()
    _, h = rnn(front(wav))
    nn.functional.cross_entropy(cls(h[-1]), label).backward()
    return {f"p{i}": p.grad.clone() for i, p in enumerate(params)}


if __name__ == "__main__":
    main()
