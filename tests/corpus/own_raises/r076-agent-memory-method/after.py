import torch
from torch import nn


class WorldModel:
    def __init__(self, obs, width, lr=1e-2):
        self.cell = nn.GRUCell(obs, width)
        self.decode = nn.Linear(width, obs)
        self.params = list(self.cell.parameters()) + list(self.decode.parameters())
        self.opt = torch.optim.Adam(self.params, lr=lr)
        self.belief = torch.zeros(1, width)
        self.losses = []

    def predict(self):
        return self.decode(self.belief)

    def learn(self, obs):
        self.belief = self.cell(obs, self.belief.detach())
        loss = nn.functional.mse_loss(self.predict(), obs)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        self.losses.append(loss.item())


def main():
    torch.manual_seed(92)
    agent = WorldModel(2, 3)
    for obs in torch.randn(4, 1, 2):
        agent.learn(obs)
    return {"decode": agent.decode.weight.grad.clone(), "cell": agent.cell.weight_hh.grad.clone()}


if __name__ == "__main__":
    main()
