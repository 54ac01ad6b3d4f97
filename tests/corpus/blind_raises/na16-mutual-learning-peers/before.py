import torch
from torch import nn
import torch.nn.functional as F


def make_peer(width):
    return nn.Sequential(nn.Linear(5, width), nn.ReLU(), nn.Linear(width, 3))


def kl(student, teacher):
    return F.kl_div(F.log_softmax(student, dim=1), F.softmax(teacher, dim=1), reduction="batchmean")


class MutualTrainer:
    def __init__(self, widths, lr=0.05):
        self.peers = [make_peer(w) for w in widths]
        self.optims = [torch.optim.SGD(p.parameters(), lr=lr, momentum=0.9) for p in self.peers]

    def peer_loss(self, i, logits, target):
        loss = F.cross_entropy(logits[i], target)
        others = [kl(logits[i], logits[j]) for j in range(len(logits)) if j != i]
        return loss + sum(others) / len(others)

    def train_batch(self, x, target):
        logits = [peer(x) for peer in self.peers]
        history = []
        for i, optim in enumerate(self.optims):
            loss = self.peer_loss(i, logits, target)
            optim.zero_grad()
            loss.backward(retain_graph=True)
            optim.step()
            history.append(loss.item())
        return history

    def fit(self, batches):
        return [self.train_batch(x, y) for x, y in batches]


def main():
    torch.manual_seed(0)
    trainer = MutualTrainer((6, 7))
    batches = [(torch.randn(4, 5), torch.randint(0, 3, (4,))) for _ in range(2)]
    trainer.fit(batches)
    out = {}
    for i, peer in enumerate(trainer.peers):
        out.update({f"peer{i}.{n}": p.detach() for n, p in peer.named_parameters()})
    return out


if __name__ == "__main__":
    main()
