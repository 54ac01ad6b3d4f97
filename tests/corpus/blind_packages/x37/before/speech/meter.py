import torch


class Meter:
    slots = ("sim", "loss")

    def __init__(self):
        self.sums = torch.zeros(len(self.slots))
        self.counts = torch.zeros(len(self.slots))

    def add(self, name, value):
        i = self.slots.index(name)
        self.sums[i] += value.detach()
        self.counts[i] += 1

    def __str__(self):
        means = self.sums / self.counts
        return " ".join(f"{n}={m:.6f}" for n, m in zip(self.slots, means))


METER = Meter()
