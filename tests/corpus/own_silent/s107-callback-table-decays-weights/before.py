import torch
import torch.nn as nn


def shrink(state):
    for group in state["opt"].param_groups:
        for p in group["params"]:
            p.data.mul_(1 - 0.3)


def log_loss(state):
    state["history"].append(state["loss"].item())


CALLBACKS = {"after_forward": [log_loss, shrink], "after_backward": []}


def fire(event, state):
    for callback in CALLBACKS[event]:
        callback(state)


def main():
    torch.manual_seed(51)
    net = nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 1))
    state = {"opt": torch.optim.SGD(net.parameters(), lr=0.1), "history": []}
    for _ in range(2):
        x, y = torch.randn(6, 3), torch.randn(6, 1)
        state["loss"] = nn.functional.smooth_l1_loss(net(x), y)
        fire("after_forward", state)
        state["opt"].zero_grad()
        state["loss"].backward()
        fire("after_backward", state)
        state["opt"].step()
    return {"history": torch.tensor(state["history"]), **{n: p.grad for n, p in net.named_parameters()}}


if __name__ == "__main__":
    main()
