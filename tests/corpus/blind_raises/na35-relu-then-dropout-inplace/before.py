import torch
from torch import nn

NORMS = {"bn": nn.BatchNorm1d, "none": lambda width: nn.Identity()}
ACTS = {"relu": nn.ReLU, "gelu": nn.GELU, "silu": nn.SiLU}


class MLPConfig:
    def __init__(self, widths, norm="bn", act="relu", dropout=0.0):
        self.widths = widths
        self.norm = norm
        self.act = act
        self.dropout = dropout

    def pairs(self):
        return zip(self.widths[:-1], self.widths[1:])


def build_mlp(cfg):
    layers = []
    for fan_in, fan_out in cfg.pairs():
        layers += [nn.Linear(fan_in, fan_out), NORMS[cfg.norm](fan_out), ACTS[cfg.act]()]
        if cfg.dropout > 0:
            layers.append(nn.Dropout(cfg.dropout, inplace=True))
    return nn.Sequential(*layers)


class TabularNet(nn.Module):
    def __init__(self, cards, numeric, classes, cfg):
        super().__init__()
        self.embeds = nn.ModuleList(nn.Embedding(n, 2) for n in cards)
        cfg.widths = [2 * len(cards) + numeric, *cfg.widths]
        self.body = build_mlp(cfg)
        self.head = nn.Linear(cfg.widths[-1], classes)

    def forward(self, cats, nums):
        e = [emb(c) for emb, c in zip(self.embeds, cats.unbind(1))]
        h = self.body(torch.cat([*e, nums], dim=1))
        return self.head(h)


def main():
    torch.manual_seed(0)
    net = TabularNet([4, 3], 3, 2, MLPConfig([8, 6], dropout=0.3))
    cats = torch.stack([torch.randint(0, 4, (7,)), torch.randint(0, 3, (7,))], dim=1)
    logits = net(cats, torch.randn(7, 3))
    nn.functional.cross_entropy(logits, torch.randint(0, 2, (7,))).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
