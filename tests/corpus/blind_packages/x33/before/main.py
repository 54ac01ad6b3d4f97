import torch

from detector.assign import Assigner
from detector.head import DetectionHead, detection_loss


def main():
    torch.manual_seed(53)
    head = DetectionHead(5, n_classes=3)
    feats = torch.randn(6, 5)
    labels = torch.tensor([0, 1, 2, 0, -1, -1])
    loss = detection_loss(head, feats, labels, Assigner(topk=2))
    loss.backward()
    print(f"{loss.item():.6f}")
    for n, p in head.named_parameters():
        print(n, [round(v, 6) for v in p.grad.flatten()[:4].tolist()])


if __name__ == "__main__":
    main()
