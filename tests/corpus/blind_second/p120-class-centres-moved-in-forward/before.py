import torch
import torch.nn as nn


class CentreLoss(nn.Module):
    def __init__(self, classes, dim, momentum=0.5):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("centres", torch.randn(classes, dim))

    @torch.no_grad()
    def move(self, feats, labels):
        for c in labels.unique():
            self.centres[c].lerp_(feats[labels == c].mean(0), self.momentum)

    def forward(self, feats, labels):
        dist = torch.cdist(feats, self.centres)
        own = dist.gather(1, labels.unsqueeze(1)).squeeze(1)
        rest = dist.sum(1) - own
        if self.training:
            self.move(feats, labels)
        return (own / (rest + 1e-3)).mean()


class SpeakerNet(nn.Module):
    def __init__(self, mels, dim, speakers):
        super().__init__()
        self.tdnn = nn.Conv1d(mels, 8, 5, dilation=2)
        self.embed = nn.Linear(16, dim)
        self.classify = nn.Linear(dim, speakers)

    def forward(self, x):
        h = torch.relu(self.tdnn(x))
        emb = self.embed(torch.cat([h.mean(-1), h.std(-1)], dim=1))
        return emb, self.classify(emb)


def main():
    torch.manual_seed(60)
    net, centre = SpeakerNet(6, 5, 3), CentreLoss(3, 5)
    x, labels = torch.randn(6, 6, 20), torch.tensor([0, 1, 2, 0, 1, 2])
    emb, logits = net(x)
    loss = nn.functional.cross_entropy(logits, labels) + 0.1 * centre(emb, labels)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
