import torch
import torch.nn as nn


class RecurrentPolicy(nn.Module):
    def __init__(self, obs=3, hid=8, act=2):
        super().__init__()
        self.cell = nn.GRUCell(obs, hid)
        self.pi, self.v = nn.Linear(hid, act), nn.Linear(hid, 1)

    def evaluate(self, obs, actions):
        T, B, _ = obs.shape
        h = obs.new_zeros(B, self.cell.hidden_size)
        values, logps = [], []
        for t in range(T):
            h = self.cell(obs[t], h)
            lp = self.pi(h).log_softmax(-1)
            values.append(self.v(h).squeeze(-1))
            logps.append(lp.gather(1, actions[t, :, None]).squeeze(1))
        return torch.stack(values), torch.stack(logps)


def ppo_loss(values, logps, old_logps, adv, ret, clip=0.2):
    ratio = (logps - old_logps).exp()
    surr = torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
    return -surr.mean() + 0.5 * (values - ret).pow(2).mean()


def main():
    torch.manual_seed(204)
    net = RecurrentPolicy()
    obs, act = torch.randn(6, 4, 3), torch.randint(0, 2, (6, 4))
    adv, ret, old = torch.randn(6, 4), torch.randn(6, 4), -torch.rand(6, 4)
    adv = adv - adv.mean()
    adv = adv / (adv.std() + 1e-8)
    ppo_loss(*net.evaluate(obs, act), old, adv, ret).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
