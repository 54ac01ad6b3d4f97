import torch.nn.functional as F

from .quant import binarised


def compute_loss(model, x, y):
    return F.cross_entropy(model(x), y)


def train_step(model, opt, x, y):
    opt.zero_grad()
    with binarised(model.binary_parameters()):
        loss = compute_loss(model, x, y)
    loss.backward()
    opt.step()
    for p in model.binary_parameters():
        p.data.clamp_(-1, 1)
    return loss.item()
