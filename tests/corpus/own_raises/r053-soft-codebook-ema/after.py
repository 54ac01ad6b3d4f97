import torch
import torch.nn.functional as F
from torch import nn


class SoftQuantiser(nn.Module):
    codes: torch.Tensor

    def __init__(self, n, d, decay=0.95):
        super().__init__()
        self.decay = decay
        self.register_buffer("codes", torch.randn(n, d))

    def assign(self, z):
        return F.gumbel_softmax(z @ self.codes.T, tau=0.7, dim=-1)

    def update(self, z, soft):
        with torch.no_grad():
            hits = soft.sum(0).clamp_min(1e-3)[:, None]
            centres = soft.T @ z / hits
            self.codes.copy_(self.decay * self.codes + (1 - self.decay) * centres)

    def forward(self, z):
        soft = self.assign(z)
        return soft @ self.codes, soft


def main():
    torch.manual_seed(62)
    enc, vq, dec = nn.Linear(5, 3), SoftQuantiser(4, 3), nn.Linear(3, 5)
    x = torch.randn(8, 5)
    z = enc(x)
    q, soft = vq(z)
    F.mse_loss(dec(q), x).backward()
    vq.update(z, soft)
    return {"enc": enc.weight.grad.clone(), "dec": dec.weight.grad.clone()}


if __name__ == "__main__":
    main()
