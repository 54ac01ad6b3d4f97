import torch
import torch.nn as nn


class QNet(nn.Module):
    def __init__(self, n_obs, n_act):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_obs, 16), nn.ReLU(), nn.Linear(16, n_act))

    def forward(self, s):
        return self.net(s)


def td_loss(online, frozen, batch, gamma=0.9):
    s, a, r, s2, done = batch
    q = online(s)
    with torch.no_grad():
        best = frozen(s2).max(1).values
    target = q.detach().clone()
    target[torch.arange(len(a)), a] = r + gamma * best * (1 - done)
    return nn.functional.smooth_l1_loss(q, target)


def main():
    torch.manual_seed(9)
    online, frozen = QNet(4, 3), QNet(4, 3)
    frozen.load_state_dict(online.state_dict())
    n = 8
    batch = (torch.randn(n, 4), torch.randint(0, 3, (n,)), torch.randn(n),
             torch.randn(n, 4), (torch.rand(n) < 0.2).float())
    loss = td_loss(online, frozen, batch)
    loss.backward()
    return {"loss": loss.detach(), "w": online.net[2].weight.grad}


if __name__ == "__main__":
    main()
