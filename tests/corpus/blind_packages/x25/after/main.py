import torch

from fewshot import *


def main():
    torch.manual_seed(34)
    net = ProtoNet(in_dim=5, emb_dim=3)
    support = torch.randn(3, 4, 5)
    support += torch.arange(3).view(3, 1, 1) * 0.7
    query = torch.randn(6, 5)
    labels = torch.tensor([0, 1, 2, 0, 1, 2])
    loss = episode_loss(net, support, query, labels)
    loss.backward()
    print(f"{loss.item():.6f}")
    for n, p in net.named_parameters():
        print(n, [round(v, 6) for v in p.grad.flatten().tolist()[:4]])


if __name__ == "__main__":
    main()
