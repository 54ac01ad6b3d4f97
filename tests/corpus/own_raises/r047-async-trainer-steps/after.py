import asyncio

import torch
from torch import nn


class Worker:
    def __init__(self, name, net, lr):
        self.name, self.net = name, net
        self.opt = torch.optim.SGD(net.parameters(), lr=lr)

    async def update(self, loss, **kw):
        self.opt.zero_grad()
        loss.backward(**kw)
        await asyncio.sleep(0)
        self.opt.step()


async def co_train(teacher, student, batches):
    for x, y in batches:
        t_out = teacher.net(x)
        t_loss = nn.functional.mse_loss(t_out, y)
        await teacher.update(t_loss)
        s_out = student.net(x)
        goal = t_out.detach()
        s_loss = nn.functional.mse_loss(s_out, goal) + 0.1 * nn.functional.mse_loss(teacher.net(s_out), y)
        await student.update(s_loss)


def main():
    torch.manual_seed(53)
    teacher = Worker("t", nn.Sequential(nn.Linear(2, 5), nn.Sigmoid(), nn.Linear(5, 2)), 0.1)
    student = Worker("s", nn.Linear(2, 2), 0.1)
    data = [(torch.randn(4, 2), torch.randn(4, 2)) for _ in range(2)]
    asyncio.run(co_train(teacher, student, data))
    return {n: p.grad.clone() for n, p in student.net.named_parameters()}


if __name__ == "__main__":
    main()
