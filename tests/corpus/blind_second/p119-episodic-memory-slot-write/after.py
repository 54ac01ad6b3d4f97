import torch
import torch.nn as nn
import torch.nn.functional as F


class SlotMemory:
    def __init__(self, batch, slots, width):
        self.bank = torch.full((batch, slots, width), 0.01)
        self.age = torch.zeros(slots, dtype=torch.long)

    def read(self, key):
        attn = F.cosine_similarity(self.bank, key.unsqueeze(1), dim=-1).softmax(-1)
        return torch.einsum("bs,bsw->bw", attn, self.bank)

    def write(self, value):
        slot = int(self.age.argmax())
        self.bank = torch.cat([self.bank[:, :slot], value.unsqueeze(1), self.bank[:, slot + 1:]], dim=1)
        self.age += 1
        self.age[slot] = 0


class MANN(nn.Module):
    def __init__(self, inputs, width, classes):
        super().__init__()
        self.controller = nn.LSTMCell(inputs + classes, width)
        self.key, self.value = nn.Linear(width, width), nn.Linear(width, width)
        self.out = nn.Linear(2 * width, classes)
        self.width, self.classes = width, classes

    def forward(self, xs, ys, slots=4):
        memory = SlotMemory(xs.size(0), slots, self.width)
        previous, state, logits = torch.zeros(xs.size(0), self.classes), None, []
        for x, y in zip(xs.unbind(1), ys.unbind(1)):
            state = self.controller(torch.cat([x, previous], dim=1), state)
            recalled = memory.read(self.key(state[0]))
            logits.append(self.out(torch.cat([state[0], recalled], dim=1)))
            memory.write(torch.tanh(self.value(state[0])))
            previous = F.one_hot(y, self.classes).float()
        return torch.stack(logits, 1)


def main():
    torch.manual_seed(59)
    net = MANN(5, 6, 3)
    xs, ys = torch.randn(2, 5, 5), torch.randint(0, 3, (2, 5))
    F.cross_entropy(net(xs, ys).flatten(0, 1), ys.flatten()).backward()
    return {n: p.grad for n, p in net.named_parameters()}


if __name__ == "__main__":
    main()
