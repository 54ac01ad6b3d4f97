import torch


def spread_(weight, std):
    return weight.normal_(0.0, std)
