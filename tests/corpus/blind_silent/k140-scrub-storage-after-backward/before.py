from typing import List

import torch
import torch.nn as nn


class Keyword(nn.Module):
    def __init__(self, width=4, words=3):
        super().__init__()
        self.conv = nn.Conv1d(1, width, 5, stride=2)
        self.norm = nn.GroupNorm(2, width)
        self.cls = nn.Linear(width, words)

    def forward(self, wave):
        return self.cls(nn.functional.mish(self.norm(self.conv(wave))).mean(-1))


def adapt(net, waves: List[torch.Tensor], word: int):
    for p in net.parameters():
        p.grad = torch.zeros_like(p)
    scores = []
    while waves:
        wave = waves.pop()
        logits = net(wave)
        scores.append(logits.detach().softmax(-1)[:, word].mean())
        nn.functional.cross_entropy(logits, torch.full((len(wave),), word)).backward()
        wave.untyped_storage().fill_(0)
    for p in net.parameters():
        p.grad.div_(len(scores))
    return torch.stack(scores)


def main():
    torch.manual_seed(367)
    net = Keyword()
    scores = adapt(net, [torch.randn(2, 1, 13) for _ in range(3)], word=2)
    return {"scores": scores, **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
