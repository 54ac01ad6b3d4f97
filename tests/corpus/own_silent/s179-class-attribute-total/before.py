import torch
from torch import nn


class FeatureMean:
    total = torch.zeros(2)
    count = 0

    def update(self, features):
        self.total += features.detach().sum(0)
        self.count += len(features)

    def value(self):
        return self.total / self.count


def main():
    torch.manual_seed(751)
    net = nn.Linear(3, 2)
    domains = {"source": FeatureMean(), "target": FeatureMean()}
    out = {}
    for name, shift in (("source", 0.0), ("target", 3.0)):
        out[name] = net(torch.randn(6, 3) + shift)
        domains[name].update(out[name])
    gap = domains["source"].value() - domains["target"].value()
    (out["target"] + gap).square().mean().backward()
    return {"gap": gap, "weight": net.weight.grad}


if __name__ == "__main__":
    main()
