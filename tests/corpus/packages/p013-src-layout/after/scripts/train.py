import torch

from mix import Router
from mix.scaling import clip_norm


def main():
    torch.manual_seed(0)
    router = Router(3, 4)
    optimizer = torch.optim.SGD(router.parameters(), lr=0.1)
    for _ in range(2):
        weights = router(torch.randn(5, 3))
        weights = clip_norm(weights)
        loss = (weights * torch.arange(4.0)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {name: p.detach() for name, p in router.named_parameters()}


if __name__ == "__main__":
    main()
