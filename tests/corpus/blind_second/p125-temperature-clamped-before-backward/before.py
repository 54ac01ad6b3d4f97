import torch
import torch.nn as nn
import torch.nn.functional as F


class SupConHead(nn.Module):
    def __init__(self, dim, proj, scale=8.0, ceiling=6.0):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, proj))
        self.scale = nn.Parameter(torch.tensor(scale))
        self.ceiling = ceiling

    def forward(self, feats, labels):
        z = F.normalize(self.mlp(feats), dim=1)
        sims = self.scale * (z @ z.t())
        with torch.no_grad():
            self.scale.clamp_(1.0, self.ceiling)
        eye = torch.eye(len(z), dtype=torch.bool)
        logp = sims.masked_fill(eye, -1e9).log_softmax(1)
        same = (labels.unsqueeze(0) == labels.unsqueeze(1)) & ~eye
        return -(logp * same).sum(1).div(same.sum(1).clamp(min=1)).mean()


class BirdSongEncoder(nn.Module):
    def __init__(self, mels, dim):
        super().__init__()
        self.conv = nn.Conv1d(mels, dim, 3, padding=1)
        self.head = SupConHead(dim, 4)

    def forward(self, mel, labels):
        return self.head(torch.relu(self.conv(mel)).mean(-1), labels)


def main():
    torch.manual_seed(65)
    net = BirdSongEncoder(6, 8)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    mel, labels = torch.randn(8, 6, 12), torch.arange(8) % 3
    opt.zero_grad()
    loss = net(mel, labels)
    loss.backward()
    opt.step()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
