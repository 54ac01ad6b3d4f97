import torch
from dataclasses import dataclass, field
from torch import Tensor, nn


@dataclass
class Membrane:
    voltage: Tensor
    spikes: list[Tensor] = field(default_factory=list)

    def fire(self, threshold: float) -> Tensor:
        s = torch.sigmoid(8.0 * (self.voltage - threshold))
        self.spikes.append(s)
        return s

    def refract(self, amount: float) -> None:
        self.spikes[-1] = self.spikes[-1] * amount


class SpikingLayer(nn.Module):
    def __init__(self, din: int, dout: int) -> None:
        super().__init__()
        self.fc = nn.Linear(din, dout)

    def forward(self, frames: Tensor) -> Tensor:
        cells = {"main": Membrane(torch.zeros(frames.size(1), self.fc.out_features))}
        for frame in frames.unbind(0):
            cell = cells["main"]
            cell.voltage = 0.9 * cell.voltage + self.fc(frame)
            cell.fire(1.0)
            cell.refract(0.5)
        return torch.stack(cells["main"].spikes)


def main():
    torch.manual_seed(67)
    layer = SpikingLayer(3, 4)
    layer(torch.randn(5, 2, 3)).mean(0).square().sum().backward()
    return {n: p.grad.clone() for n, p in layer.named_parameters()}


if __name__ == "__main__":
    main()
