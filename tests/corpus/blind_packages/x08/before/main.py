import torch
from audiofx import LogCompressor
from audiofx.windows import frame


def main():
    torch.manual_seed(0)
    wav = torch.randn(1, 256)
    model = LogCompressor(n_bins=17, n_bands=6)
    bands = model(frame(wav, size=32, hop=16))
    loss = bands.mean()
    loss.backward()
    print("fb", model.fb.grad.norm().item().__round__(6))
    print("gain", model.gain.grad.sum().item().__round__(6))


if __name__ == "__main__":
    main()
