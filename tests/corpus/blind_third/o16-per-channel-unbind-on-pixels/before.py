import torch
import torch.nn as nn

MEAN, STD = (0.48, 0.45, 0.40), (0.22, 0.22, 0.22)


def normalise_clip(clip):
    """(T, C, H, W) in [0, 1] -> normalised copy."""
    clip = clip.clone()
    for chan, m, s in zip(clip.unbind(1), MEAN, STD):
        chan.sub_(m).div_(s)
    for frame in clip.split(1):
        frame.clamp_(-2.0, 2.0)
    return clip


class ActionNet(nn.Module):
    def __init__(self, n_cls=4):
        super().__init__()
        self.frame = nn.Sequential(nn.Conv2d(3, 6, 3, 2, 1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d(1), nn.Flatten())
        self.temporal = nn.GRU(6, 6, batch_first=True)
        self.cls = nn.Linear(6, n_cls)

    def forward(self, clips):
        b, t = clips.shape[:2]
        f = self.frame(clips.flatten(0, 1)).view(b, t, -1)
        _, h = self.temporal(f)
        return self.cls(h[-1])


def main():
    torch.manual_seed(216)
    net = ActionNet()
    clips = torch.stack([normalise_clip(torch.rand(3, 3, 6, 6)) for _ in range(2)])
    nn.functional.cross_entropy(net(clips), torch.tensor([1, 3])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
