import torch
import torch.nn as nn


class Tap:
    def __init__(self, module):
        self.value = None
        self.handle = module.register_forward_hook(self.grab)

    def grab(self, module, args, output):
        self.value = output

    def close(self):
        self.handle.remove()


def backbone():
    return nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1),
        nn.ReLU(inplace=True),
        nn.Conv2d(4, 4, 3, padding=1),
    )


def pre_activation_loss(net, x, ref):
    tap = Tap(net[0])
    net(ref)
    want = tap.value.detach()
    net(x)
    got = tap.value
    tap.close()
    return (got - want).square().mean()


def main():
    torch.manual_seed(19)
    net = backbone().requires_grad_(False)
    img = torch.rand(1, 1, 6, 6, requires_grad=True)
    loss = pre_activation_loss(net, img, torch.rand(1, 1, 6, 6))
    loss.backward()
    return {"img": img.grad, "loss": loss.detach()}


if __name__ == "__main__":
    main()
