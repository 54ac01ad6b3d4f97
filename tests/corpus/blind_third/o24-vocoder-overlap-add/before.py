import torch
import torch.nn as nn


class Vocoder(nn.Module):
    def __init__(self, bands, win=6, hop=3):
        super().__init__()
        self.win, self.hop = win, hop
        self.frame = nn.Sequential(nn.Linear(bands, 12), nn.Tanh(), nn.Linear(12, win))
        self.log_window = nn.Parameter(torch.zeros(win))

    def forward(self, mel):
        B, T, _ = mel.shape
        window = self.log_window.exp()
        frames = self.frame(mel) * window
        n = self.win + self.hop * (T - 1)
        out, env = mel.new_zeros(B, n), mel.new_zeros(n)
        for t in range(T):
            lo, hi = t * self.hop, t * self.hop + self.win
            out[:, lo:hi] += frames[:, t]
            env[lo:hi] += window
        env.clamp_(min=1e-3)
        return out / env


def main():
    torch.manual_seed(224)
    voc = Vocoder(4)
    mel, wav = torch.randn(3, 5, 4), torch.randn(3, 18)
    pred = voc(mel)
    loss = (pred - wav).abs().mean() + (torch.fft.rfft(pred).abs() - torch.fft.rfft(wav).abs()).pow(2).mean()
    loss.backward()
    return {n: p.grad for n, p in voc.named_parameters()}


if __name__ == "__main__":
    main()
