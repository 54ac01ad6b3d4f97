import torch
import torch.nn as nn


class StripeView:
    """A second tensor header over the memory of another tensor."""

    def __init__(self, like, stripe):
        self.header = torch.empty(0, dtype=like.dtype)
        rows, cols = like.shape
        self.header.set_(like.untyped_storage(), stripe, (rows,), (cols,))

    def scale(self, factor):
        self.header.mul_(factor)


def main():
    torch.manual_seed(181)
    enc, dec = nn.Linear(3, 4), nn.Linear(4, 3)
    x = torch.randn(6, 3)
    code = torch.sigmoid(enc(x))
    StripeView(code.detach(), 1).scale(0.4)
    nn.functional.mse_loss(dec(code), x).backward()
    return {"enc": enc.weight.grad, "dec": dec.weight.grad}


if __name__ == "__main__":
    main()
