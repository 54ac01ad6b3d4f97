import torch
import torch.nn as nn


class BottleneckLSTMCell(nn.Module):
    def __init__(self, cin, hidden):
        super().__init__()
        self.hidden = hidden
        self.bottleneck = nn.Conv2d(cin + hidden, hidden, 1)
        self.gates = nn.Conv2d(hidden, 4 * hidden, 3, padding=1)

    def forward(self, x, h, c):
        b = torch.relu(self.bottleneck(torch.cat((x, h), 1)))
        i, f, o, g = self.gates(b).chunk(4, dim=1)
        c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.relu(g)
        return torch.sigmoid(o) * torch.relu(c), c


class VideoDetector(nn.Module):
    def __init__(self, hidden=4):
        super().__init__()
        self.base = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.lstm = BottleneckLSTMCell(4, hidden)
        self.cls = nn.Conv2d(hidden, 2, 1)
        self.h = self.c = None

    def init_hidden(self, batch, size):
        self.h = torch.zeros(batch, self.lstm.hidden, size, size)
        self.c = torch.zeros_like(self.h)

    def detach_hidden(self):
        self.h, self.c = self.h.detach(), self.c.detach()

    def forward(self, frame):
        self.h, self.c = self.lstm(self.base(frame), self.h, self.c)
        return self.cls(self.h)


def train_epoch(net, videos, optimizer):
    running = 0.0
    for video, labels in videos:
        net.init_hidden(video.shape[1], 4)
        for frame, label in zip(video, labels):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(net(frame), label)
            loss.backward()
            optimizer.step()
            running += loss.item()
            net.detach_hidden()
    return running


def main():
    torch.manual_seed(0)
    net = VideoDetector()
    videos = [(torch.rand(3, 1, 3, 8, 8), torch.randint(0, 2, (3, 1, 4, 4)))]
    train_epoch(net, videos, torch.optim.RMSprop(net.parameters(), lr=1e-3))
    return {n: p.detach() for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
