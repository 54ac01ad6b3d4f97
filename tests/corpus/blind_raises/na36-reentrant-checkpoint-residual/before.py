import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class FeedForward(nn.Module):
    def __init__(self, dim, mult=2):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.up = nn.Linear(dim, mult * dim)
        self.down = nn.Linear(mult * dim, dim)

    def forward(self, x):
        return self.down(nn.functional.gelu(self.up(self.norm(x))))


class TokenMixer(nn.Module):
    def __init__(self, tokens, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.mix = nn.Linear(tokens, tokens)

    def forward(self, x):
        return self.mix(self.norm(x).transpose(1, 2)).transpose(1, 2)


class MixerStage(nn.Module):
    def __init__(self, tokens, dim, depth, use_checkpoint=True):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.extend([TokenMixer(tokens, dim), FeedForward(dim)])
        self.use_checkpoint = use_checkpoint

    def run(self, block, x):
        if self.use_checkpoint and self.training:
            return checkpoint(block, x, use_reentrant=True)
        return block(x)

    def forward(self, x):
        for block in self.blocks:
            x += self.run(block, x)
        return x


class PatchMixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(1, 4, 2, stride=2)
        self.stage = MixerStage(tokens=9, dim=4, depth=1)
        self.head = nn.Linear(4, 3)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        return self.head(self.stage(x).mean(1))


def main():
    torch.manual_seed(0)
    net = PatchMixer()
    nn.functional.cross_entropy(net(torch.rand(2, 1, 6, 6)), torch.tensor([2, 0])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
