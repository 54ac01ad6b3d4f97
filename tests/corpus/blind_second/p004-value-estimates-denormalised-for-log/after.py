import torch
import torch.nn as nn


class ReturnScaler:
    def __init__(self, mean, std):
        self.mean, self.std = mean, std

    def encode(self, returns):
        return (returns - self.mean) / self.std

    def decode(self, array):
        array *= self.std
        array += self.mean
        return array


class Logger:
    def __init__(self):
        self.rows = []

    def log(self, **scalars):
        self.rows.append(scalars)


class ValueNet(nn.Module):
    def __init__(self, obs):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.head = nn.Linear(16, 1)

    def forward(self, obs):
        return torch.tanh(self.head(self.body(obs))).squeeze(-1)


def update(net, opt, obs, returns, scaler, logger):
    values = net(obs)
    loss = 0.5 * (values - scaler.encode(returns)).pow(2).mean()
    readable = scaler.decode(values.detach().numpy().copy())
    logger.log(mean=float(readable.mean()), loss=loss.item())
    opt.zero_grad()
    loss.backward()
    opt.step()


def main():
    torch.manual_seed(1)
    net, logger = ValueNet(4), Logger()
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    update(net, opt, torch.randn(8, 4), torch.randn(8) * 3 + 5, ReturnScaler(5.0, 3.0), logger)
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
