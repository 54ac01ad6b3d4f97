import torch
import torch.nn as nn


class TemporalDecay(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.lin = nn.Linear(features, hidden)

    def forward(self, delta):
        return torch.exp(-torch.relu(self.lin(delta)))


class GRUD(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.decay_h = TemporalDecay(features, hidden)
        self.cell = nn.GRUCell(2 * features, hidden)
        self.impute = nn.Linear(hidden, features)
        self.risk = nn.Linear(hidden, 1)

    def forward(self, values, observed, delta):
        h = self.impute.weight.new_zeros(values.size(0), self.cell.hidden_size)
        risks = []
        for t in range(values.size(1)):
            gamma = self.decay_h(delta[:, t])
            h *= gamma
            x_hat = self.impute(h)
            m = observed[:, t]
            x = torch.where(m, values[:, t], x_hat)
            h = self.cell(torch.cat([x, m.float()], dim=1), h)
            risks.append(self.risk(h))
        return torch.cat(risks, dim=1)


def time_since_observed(observed):
    gaps = [torch.zeros_like(observed[:, 0], dtype=torch.float)]
    for t in range(1, observed.size(1)):
        gaps.append(torch.where(observed[:, t - 1], 1.0, gaps[-1] + 1.0))
    return torch.stack(gaps, dim=1)


def main():
    torch.manual_seed(67)
    net = GRUD(3, 5)
    observed = torch.rand(4, 6, 3) > 0.4
    risks = net(torch.randn(4, 6, 3), observed, time_since_observed(observed))
    outcome = torch.tensor([0.0, 1.0, 0.0, 1.0]).unsqueeze(1).expand(-1, 6)
    nn.functional.binary_cross_entropy_with_logits(risks, outcome).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
