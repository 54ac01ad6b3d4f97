import torch.nn as nn


def mlp(sizes, slope=0.2):
    layers = []
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers.append(nn.Linear(a, b))
        if i < len(sizes) - 2:
            layers.append(nn.LeakyReLU(slope, inplace=True))
    return nn.Sequential(*layers)


def make_nets(opts):
    g = mlp([opts.zdim, opts.hidden, opts.hidden, 2])
    d = mlp([2, opts.hidden, opts.hidden, 1])
    return g, d
