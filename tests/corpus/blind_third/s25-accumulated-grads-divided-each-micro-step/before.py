import torch
import torch.nn as nn
import torch.nn.functional as F


class TextCNN(nn.Module):
    def __init__(self, vocab=30, d=6, n_cls=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.conv = nn.Conv1d(d, 8, 3, padding=1)
        self.cls = nn.Linear(8, n_cls)

    def forward(self, ids):
        h = F.relu_(self.conv(self.emb(ids).transpose(1, 2)))
        return self.cls(h.amax(-1))


def accumulate(model, micro_batches):
    n = len(micro_batches)
    model.zero_grad(set_to_none=True)
    for ids, y in micro_batches:
        F.cross_entropy(model(ids), y).backward()
        for p in model.parameters():
            p.grad.div_(n)


def main():
    torch.manual_seed(125)
    model = TextCNN()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    micro = [(torch.randint(1, 30, (4, 9)), torch.randint(0, 2, (4,))) for _ in range(3)]
    accumulate(model, micro)
    grads = {n: p.grad.clone() for n, p in model.named_parameters()}
    opt.step()
    return grads


if __name__ == "__main__":
    main()
