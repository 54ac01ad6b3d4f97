import torch
import torch.nn as nn


class Spectrograms(torch.utils.data.Dataset):
    def __init__(self, n, frames, bins, seed):
        g = torch.Generator().manual_seed(seed)
        self.items = torch.rand(n, frames, bins, generator=g)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


class MaskNet(nn.Module):
    def __init__(self, bins):
        super().__init__()
        self.rnn = nn.LSTM(bins, 8, batch_first=True)
        self.mask = nn.Linear(8, bins)

    def forward(self, noisy):
        return torch.sigmoid(self.mask(self.rnn(noisy)[0])) * noisy


def add_noise(clean, snr_db, generator):
    noisy = clean.contiguous()
    noise = torch.rand(noisy.shape, generator=generator)
    scale = (clean.pow(2).mean() / noise.pow(2).mean() / 10 ** (snr_db / 10)).sqrt()
    noisy += scale * noise
    return noisy


def main():
    torch.manual_seed(35)
    g = torch.Generator().manual_seed(2)
    loader = torch.utils.data.DataLoader(Spectrograms(4, 6, 5, seed=0), batch_size=2)
    net, opt = MaskNet(5), None
    opt = torch.optim.SGD(net.parameters(), lr=0.5)
    for clean in loader:
        noisy = add_noise(clean, snr_db=3, generator=g)
        loss = nn.functional.mse_loss(net(noisy), clean)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return {"loss": loss.detach(), "mask": net.mask.weight.detach().clone()}


if __name__ == "__main__":
    main()
