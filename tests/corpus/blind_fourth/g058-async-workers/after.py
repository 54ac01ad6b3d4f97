import torch
import torch.nn as nn


def push_grads(worker, server):
    for w, s in zip(worker.parameters(), server.parameters()):
        s.grad = w.grad.clone()


def server_step(server, opt, limit):
    nn.utils.clip_grad_norm_(server.parameters(), limit)
    opt.step()


def worker_step(worker, x, y):
    worker.zero_grad()
    loss = nn.functional.mse_loss(worker(x), y)
    loss.backward()
    return loss.detach()


def main():
    torch.manual_seed(67)
    server = nn.Linear(3, 1)
    workers = [nn.Linear(3, 1) for _ in range(2)]
    opt = torch.optim.SGD(server.parameters(), lr=0.1)
    for step in range(4):
        w = workers[step % 2]
        w.load_state_dict(server.state_dict())
        worker_step(w, 3 * torch.randn(8, 3), 5 * torch.randn(8, 1))
        push_grads(w, server)
        server_step(server, opt, 0.5)
        with torch.no_grad():
            for p in w.parameters():
                p -= 0.01 * p.grad
    return {"server": server.weight.detach(), "worker": workers[1].weight.detach()}


if __name__ == "__main__":
    main()
