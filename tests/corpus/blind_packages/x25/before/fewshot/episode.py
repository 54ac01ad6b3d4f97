import torch.nn.functional as F

from . import geometry


def episode_loss(net, support, query, labels):
    way, shot, d = support.shape
    protos = net(support.reshape(-1, d)).view(way, shot, -1).mean(1)
    logits = geometry.sqdist(net(query), protos)
    logits.neg_()
    return F.cross_entropy(logits, labels)
