import torch
import torch.nn as nn


class ChannelDropper:
    def __init__(self, channels, drop):
        keep = torch.ones(channels)
        keep[list(drop)] = 0
        self.keep = keep.view(1, -1, 1)

    def apply(self, feats):
        feats.data = feats.data * self.keep * 1.25
        return feats


class EEGNet(nn.Module):
    def __init__(self, electrodes=4, filters=6, classes=2):
        super().__init__()
        self.temporal = nn.Conv1d(electrodes, filters, 5, padding=2)
        self.spatial = nn.Conv1d(filters, filters, 3, padding=1)
        self.cls = nn.Linear(filters, classes)
        self.dropper = None

    def forward(self, x):
        h = torch.tanh(self.temporal(x))
        if self.dropper is not None:
            h = self.dropper.apply(h)
        h = nn.functional.elu(self.spatial(h))
        return self.cls(h.mean(-1))


def train_with(net, x, y):
    net.zero_grad()
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()
    return loss.detach()


def main():
    torch.manual_seed(15)
    net = EEGNet()
    net.dropper = ChannelDropper(6, drop=(1, 4))
    loss = train_with(net, torch.randn(6, 4, 20), torch.tensor([0, 1, 1, 0, 1, 0]))
    return {"loss": loss, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
