import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel, update_bn


def main():
    torch.manual_seed(645)
    net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
    swa = AveragedModel(net, avg_fn=lambda avg, new, n: avg + (new - avg) / (n + 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1, foreach=False)
    data = torch.randn(4, 6, 3)
    for i, x in enumerate(data):
        opt.zero_grad()
        net(x).sub(1).square().mean().backward()
        opt.step()
        if i >= 1:
            swa.update_parameters(net)
    update_bn(data, swa)
    return {"swa": swa.module[0].weight, "var": swa.module[1].running_var}


if __name__ == "__main__":
    main()
