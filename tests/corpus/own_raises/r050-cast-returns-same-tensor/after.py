import torch
from torch import Tensor, nn


class SoftCappedHead(nn.Module):
    def __init__(self, dim: int, vocab: int, cap: float, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        self.out = nn.Linear(dim, vocab, dtype=dtype)
        self.cap = cap
        self.register_buffer("prior", torch.randn(vocab))

    def forward(self, h: Tensor, labels: Tensor | None = None) -> dict[str, Tensor]:
        squashed = torch.tanh(self.out(h) / self.cap)
        logits = squashed.float() + self.prior
        result = {"logits": logits}
        if labels is not None:
            result["loss"] = nn.functional.cross_entropy(logits, labels)
        return result


def main():
    torch.manual_seed(56)
    head = SoftCappedHead(4, 6, cap=5.0)
    result = head(torch.randn(5, 4), labels=torch.tensor([0, 3, 2, 5, 1]))
    result["loss"].backward()
    return {n: p.grad.clone() for n, p in head.named_parameters()}


if __name__ == "__main__":
    main()
