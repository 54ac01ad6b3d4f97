import torch

from stream import ChunkReader, Odometry
from stream.synth import signal


def total_loss(model, reader):
    total = torch.zeros(())
    for x, y in reader:
        total = total + (model(x) - y).square().mean()
    return total


def main():
    torch.manual_seed(36)
    model = Odometry(3)
    reader = ChunkReader(signal(24, 3), chunk=6)
    loss = total_loss(model, reader)
    loss.backward()
    print(f"{loss.item():.6f}")
    for n, p in model.named_parameters():
        print(n, [round(v, 5) for v in p.grad.flatten().tolist()[:5]])


if __name__ == "__main__":
    main()
