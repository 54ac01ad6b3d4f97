from typing import NamedTuple

import torch
import torch.nn as nn


class Event(NamedTuple):
    users: torch.Tensor
    feats: torch.Tensor


class UserMemory:
    """Last message wins, as in temporal graph networks."""

    def __init__(self, users: int, dim: int):
        self.state = torch.zeros(users, dim)

    def write(self, users: torch.Tensor, messages: torch.Tensor) -> None:
        last = {u: i for i, u in enumerate(users.tolist())}
        keep = torch.tensor(list(last.values()))
        self.state = self.state.index_copy(0, users[keep], messages[keep])

    def read(self, users: torch.Tensor) -> torch.Tensor:
        return self.state[users]

    def reset(self) -> None:
        self.state = torch.zeros_like(self.state)


class TGN(nn.Module):
    def __init__(self, users, d_in, dim):
        super().__init__()
        self.message = nn.Linear(d_in, dim)
        self.link = nn.Bilinear(dim, dim, 1)
        self.memory = UserMemory(users, dim)

    def forward(self, event: Event, src, dst):
        self.memory.reset()
        self.memory.write(event.users, torch.tanh(self.message(event.feats)))
        return self.link(self.memory.read(src), self.memory.read(dst)).squeeze(1)


def main():
    torch.manual_seed(263)
    net = TGN(4, 3, 5)
    event = Event(torch.tensor([1, 0, 1, 3, 1]), torch.randn(5, 3))
    score = net(event, torch.tensor([0, 1, 3]), torch.tensor([1, 3, 0]))
    nn.functional.binary_cross_entropy_with_logits(score, torch.tensor([1.0, 0.0, 1.0])).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
