import torch.nn.functional as F


def d_hinge(real, fake):
    return F.relu(1 - real).mean() + F.relu(1 + fake).mean()


def g_hinge(fake):
    return -fake.mean()
