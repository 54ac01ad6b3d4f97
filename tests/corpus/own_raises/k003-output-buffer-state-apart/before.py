import torch
from torch import nn


class Decoder(nn.Module):
    def __init__(self, d, steps):
        super().__init__()
        self.cell = nn.GRUCell(d, d)
        self.emit = nn.Linear(d, d)
        self.steps = steps

    def forward(self, context):
        frames = context.new_zeros(self.steps, *context.shape)
        state, frame = context, torch.zeros_like(context)
        for t in range(self.steps):
            state = self.cell(frame, state)
            frame = self.emit(state)
            frames[t] = frame
        return frames.transpose(0, 1)


def main():
    torch.manual_seed(2)
    enc, dec = nn.Linear(3, 4), Decoder(4, steps=5)
    frames = dec(enc(torch.randn(2, 3)))
    frames.diff(dim=1).square().mean().backward()
    return {"enc": enc.weight.grad.clone(), **{n: p.grad.clone() for n, p in dec.named_parameters()}}


if __name__ == "__main__":
    main()
