import copy
from typing import Dict, List

import torch
import torch.nn as nn


def build():
    return nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 2))


class Worker:
    def __init__(self, data):
        self.data = data
        self.net = build()

    def receive(self, content: Dict[str, torch.Tensor]) -> None:
        self.net.load_state_dict(copy.deepcopy(content), assign=True)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.3)

    def train(self) -> Dict[str, torch.Tensor]:
        x, y = self.data
        self.opt.zero_grad()
        nn.functional.cross_entropy(self.net(x), y).backward()
        self.opt.step()
        return copy.deepcopy(self.net.state_dict())


class Server:
    def __init__(self, workers: List[Worker]):
        self.net, self.workers = build(), workers

    def broadcast(self):
        content = self.net.state_dict()
        for w in self.workers:
            w.receive(content)

    def aggregate(self):
        replies = [w.train() for w in self.workers]
        mean = {k: torch.stack([r[k] for r in replies]).mean(0) for k in replies[0]}
        self.net.load_state_dict(mean)


def main():
    torch.manual_seed(293)
    server = Server([Worker((torch.randn(6, 2) + i, torch.randint(0, 2, (6,)))) for i in range(3)])
    for _ in range(2):
        server.broadcast()
        server.aggregate()
    return {n: p.detach().clone() for n, p in server.net.named_parameters()}


if __name__ == "__main__":
    main()
