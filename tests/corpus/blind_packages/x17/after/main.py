import torch

from nmt.pipeline import Pipeline


def main():
    torch.manual_seed(14)
    pipe = Pipeline(vocab=9, dim=6)
    src = torch.randint(0, 9, (4, 5))
    tgt = torch.randint(0, 9, (4,))
    batch = pipe(src)
    loss = pipe.criterion(batch, tgt)
    loss.backward()
    for n, p in pipe.named_parameters():
        print(n, f"{p.grad.norm().item():.6f}")


if __name__ == "__main__":
    main()
