import torch
import torch.nn.functional as F

from moco.bank import BANK as bank
from moco.encoders import build_pair


def info_nce(q, k, bank, temperature):
    pos = (q * k).sum(dim=1, keepdim=True)
    neg = q @ bank.keys.t()
    logits = torch.cat([pos, neg], dim=1)
    logits /= temperature
    return F.cross_entropy(logits, torch.zeros(len(q), dtype=torch.long))


def main(steps=3):
    torch.manual_seed(7)
    student, teacher = build_pair(10, 6)
    opt = torch.optim.SGD(student.parameters(), lr=0.1)
    for step in range(steps):
        x = torch.randn(4, 10)
        noise = torch.randn_like(x).mul_(0.05)
        q = student(x)
        with torch.no_grad():
            k = teacher(x + noise)
        loss = info_nce(q, k, bank, temperature=0.2)
        rows = torch.arange(4).add_(4 * step).remainder_(len(bank))
        bank[rows] = k
        opt.zero_grad()
        loss.backward()
        opt.step()
        teacher.track(student, 0.9)
        print(step, f"{loss.item():.5f}", f"{student.fc.weight.grad.norm().item():.5f}")


if __name__ == "__main__":
    main()
