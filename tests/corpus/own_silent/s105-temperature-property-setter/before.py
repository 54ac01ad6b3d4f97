import torch
from torch import nn


class ScaledHead(nn.Module):
    def __init__(self, dim, classes, scale=4.0):
        super().__init__()
        self.proto = nn.Parameter(torch.randn(classes, dim))
        self._scale = nn.Parameter(torch.tensor(scale))

    @property
    def scale(self):
        return self._scale.item()

    @scale.setter
    def scale(self, value):
        self._scale.data.fill_(value)

    def forward(self, x):
        return self._scale * nn.functional.normalize(x, dim=1) @ nn.functional.normalize(self.proto, dim=1).T


def train(backbone, head, batches, decay):
    params = [*backbone.parameters(), *head.parameters()]
    opt = torch.optim.Adam(params, lr=0.01)
    for x, y in batches:
        loss = nn.functional.cross_entropy(head(backbone(x)), y)
        head.scale = head.scale * decay
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss


def main():
    torch.manual_seed(31)
    backbone, head = nn.Linear(5, 4), ScaledHead(4, 3)
    batches = [(torch.randn(6, 5), torch.randint(0, 3, (6,))) for _ in range(2)]
    loss = train(backbone, head, batches, 0.5)
    return {"loss": loss, "backbone": backbone.weight.grad, "proto": head.proto.grad}


if __name__ == "__main__":
    main()
