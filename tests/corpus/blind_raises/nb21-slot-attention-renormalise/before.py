import torch
from torch import nn, Tensor


class SlotAttention(nn.Module):
    def __init__(self, slots: int, dim: int, iterations: int = 3, eps: float = 1e-6):
        super().__init__()
        self.slots, self.iterations, self.eps = slots, iterations, eps
        self.mu = nn.Parameter(torch.randn(1, 1, dim) * 0.2)
        self.log_sigma = nn.Parameter(torch.zeros(1, 1, dim))
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * dim, bias=False)
        self.gru = nn.GRUCell(dim, dim)
        self.norm_in, self.norm_slots = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.scale = dim ** -0.5

    def init_slots(self, batch: int) -> Tensor:
        shape = (batch, self.slots, self.mu.shape[-1])
        return self.mu + self.log_sigma.exp() * torch.randn(shape)

    def attend(self, q: Tensor, k: Tensor) -> Tensor:
        attn = (k @ q.transpose(1, 2) * self.scale).softmax(dim=-1) + self.eps
        attn /= attn.sum(dim=1, keepdim=True)
        return attn

    def forward(self, inputs: Tensor) -> Tensor:
        b, _, d = inputs.shape
        k, v = self.to_kv(self.norm_in(inputs)).chunk(2, dim=-1)
        slots = self.init_slots(b)
        for _ in range(self.iterations):
            attn = self.attend(self.to_q(self.norm_slots(slots)), k)
            updates = attn.transpose(1, 2) @ v
            slots = self.gru(updates.reshape(-1, d), slots.reshape(-1, d)).view(b, -1, d)
        return slots


class SlotAutoencoder(nn.Module):
    def __init__(self, pixels=9, dim=4, slots=2):
        super().__init__()
        self.encode = nn.Linear(3, dim)
        self.pos = nn.Parameter(torch.randn(pixels, dim) * 0.1)
        self.attention = SlotAttention(slots, dim)
        self.decode = nn.Linear(dim, 4)

    def forward(self, x: Tensor) -> Tensor:
        slots = self.attention(self.encode(x) + self.pos)
        rgba = self.decode(slots.unsqueeze(2) + self.pos)
        alpha = rgba[..., 3:].softmax(dim=1)
        return (alpha * rgba[..., :3]).sum(dim=1)


def main():
    torch.manual_seed(0)
    net, image = SlotAutoencoder(), torch.rand(2, 9, 3)
    (net(image) - image).square().mean().backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
