import torch
import torch.nn as nn


class UniformQuantizer:
    def __init__(self, bits: int):
        self.levels = 2 ** bits - 1

    def snap(self, z):
        lo, hi = z.min(), z.max()
        step = (hi - lo) / self.levels
        return ((z - lo) / step).round() * step + lo

    def apply_to(self, latents: dict) -> dict:
        return {name: self.snap(z.detach()) for name, z in latents.items()}


class Codec(nn.Module):
    def __init__(self):
        super().__init__()
        self.luma, self.chroma = nn.Linear(6, 4), nn.Linear(6, 4)
        self.gain = nn.ParameterDict({"y": nn.Parameter(torch.rand(4) + 0.5), "uv": nn.Parameter(torch.rand(4) + 0.5)})
        self.dec = nn.Linear(4, 6)

    def encode(self, x):
        return {"y": self.luma(x), "uv": self.chroma(x)}

    def rate(self, latents):
        return sum((z * self.gain[k]).abs().mean() for k, z in latents.items())

    def decode(self, latents):
        return self.dec(latents["y"] + latents["uv"])


def main():
    torch.manual_seed(5)
    codec, quant = Codec(), UniformQuantizer(2)
    x = torch.randn(7, 6)
    latents = codec.encode(x)
    rate = codec.rate(latents)
    coded = quant.apply_to(latents)
    with torch.no_grad():
        psnr = -10 * (codec.decode(coded) - x).square().mean().log10()
    rate.backward()
    return {"psnr": psnr, **{n: p.grad for n, p in codec.named_parameters() if p.grad is not None}}


if __name__ == "__main__":
    main()
