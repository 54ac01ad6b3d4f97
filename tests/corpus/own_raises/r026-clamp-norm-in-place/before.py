import torch
from torch import Tensor, nn


def cosine_logits(a: Tensor, b: Tensor, *, eps: float = 1e-6) -> Tensor:
    na = a.norm(dim=-1, keepdim=True).clamp_(min=eps)
    nb = b.norm(dim=-1, keepdim=True).clamp_(min=eps)
    return (a / na) @ (b / nb).mT


class TwoTower(nn.Module):
    def __init__(self, d_query, d_item, d=4):
        super().__init__()
        self.query = nn.Linear(d_query, d)
        self.item = nn.EmbeddingBag(9, d, mode="sum")

    def forward(self, q, bags):
        return cosine_logits(self.query(q), self.item(bags))


def main():
    torch.manual_seed(31)
    towers = TwoTower(3, 9)
    logits = towers(torch.randn(4, 3), torch.randint(0, 9, (4, 2)))
    nn.functional.cross_entropy(logits, torch.arange(4)).backward()
    return {n: p.grad.clone() for n, p in towers.named_parameters()}


if __name__ == "__main__":
    main()
