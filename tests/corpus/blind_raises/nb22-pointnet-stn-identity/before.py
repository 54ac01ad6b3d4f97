import torch
from torch import nn
import torch.nn.functional as F


class STNkd(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
        self.conv = nn.Conv1d(k, 6, 1)
        self.fc1 = nn.Linear(6, 8)
        self.fc2 = nn.Linear(8, k * k)

    def forward(self, x):
        x = F.relu(self.conv(x)).amax(dim=2)
        x = self.fc2(F.relu(self.fc1(x)))
        x += torch.eye(self.k).flatten()
        return x.view(-1, self.k, self.k)


class PointNetFeat(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.stn = STNkd(3)
        self.conv1 = nn.Conv1d(3, width, 1)
        self.fstn = STNkd(width)
        self.conv2 = nn.Conv1d(width, width, 1)
        self.bn = nn.BatchNorm1d(width)

    def forward(self, x):
        trans = self.stn(x)
        x = torch.bmm(x.transpose(2, 1), trans).transpose(2, 1)
        x = F.relu(self.conv1(x))
        trans_feat = self.fstn(x)
        x = torch.bmm(x.transpose(2, 1), trans_feat).transpose(2, 1)
        return self.bn(self.conv2(x)).amax(dim=2), trans_feat


def orthogonal_penalty(trans):
    gram = torch.bmm(trans, trans.transpose(2, 1))
    gram.diagonal(dim1=1, dim2=2).sub_(1.0)
    return gram.norm(dim=(1, 2)).mean()


class PointNetCls(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.feat = PointNetFeat()
        self.fc = nn.Linear(6, classes)

    def forward(self, pts):
        g, trans_feat = self.feat(pts)
        return self.fc(g), trans_feat


def main():
    torch.manual_seed(0)
    net = PointNetCls()
    logits, trans_feat = net(torch.randn(4, 3, 10))
    loss = F.cross_entropy(logits, torch.tensor([0, 1, 2, 1])) + 0.01 * orthogonal_penalty(trans_feat)
    loss.backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
