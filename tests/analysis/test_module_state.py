"""What modules keep: parameters, buffers, hooks, initialisation, shared weights."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== weights changed between forward and backward
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
loss = net(torch.randn(2, 3)).sum()
with torch.no_grad():
    for p in net.parameters():
        p.clamp_(-0.1, 0.1)  # <- IPG101
loss.backward()
--
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
with torch.no_grad():
    for p in net.parameters():
        p.clamp_(-0.1, 0.1)
loss = net(torch.randn(2, 3)).sum()
loss.backward()

== spectral weights written inside forward
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3))
    def forward(self, x):
        y = x @ self.weight
        with torch.no_grad():
            self.weight.div_(self.weight.norm())  # <- IPG101
        return y
>> run
Tied()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3))
    def forward(self, x):
        with torch.no_grad():
            self.weight.div_(self.weight.norm())
        return x @ self.weight
>> run
Tied()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== a buffer updated in forward
class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("bank", torch.zeros(2, 3))
    def forward(self, x):
        h = self.lin(x)
        y = h * self.bank
        self.bank.copy_(h.detach())  # <- IPG101
        return y
>> run
Memory()(torch.randn(2, 3)).sum().backward()
--
class Memory(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.register_buffer("bank", torch.zeros(2, 3))
    def forward(self, x):
        h = self.lin(x)
        y = h * self.bank.clone()
        self.bank.copy_(h.detach())
        return y
>> run
Memory()(torch.randn(2, 3)).sum().backward()

== a forward hook edits the output
lin = nn.Linear(3, 3)
net = nn.Sequential(lin, nn.Sigmoid())
def hook(module, args, output):
    output.mul_(2)  # <- IPG101
net[1].register_forward_hook(hook)
net(torch.randn(2, 3)).sum().backward()
--
lin = nn.Linear(3, 3)
net = nn.Sequential(lin, nn.Sigmoid())
def hook(module, args, output):
    return output.mul(2)
net[1].register_forward_hook(hook)
net(torch.randn(2, 3)).sum().backward()

== a full backward hook makes the output a view
lin = nn.Linear(3, 3)
lin.register_full_backward_hook(lambda module, grad_in, grad_out: None)
x = torch.randn(2, 3, requires_grad=True)
y = lin(x * 1)
y += 1  # <- IPG105
y.sum().backward()
--
lin = nn.Linear(3, 3)
lin.register_full_backward_hook(lambda module, grad_in, grad_out: None)
x = torch.randn(2, 3, requires_grad=True)
y = lin(x * 1) + 0
y += 1
y.sum().backward()

== batch norm saves its input
bn = nn.BatchNorm1d(3)
w = torch.randn(4, 3, requires_grad=True)
h = w * 2
y = bn(h)
h += y  # <- IPG101
h.sum().backward()
--
bn = nn.BatchNorm1d(3)
w = torch.randn(4, 3, requires_grad=True)
h = w * 2
y = bn(h)
y += h
y.sum().backward()

== weight initialisation
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.scale = nn.Parameter(torch.empty(3))
        self.reset()
    def reset(self):
        nn.init.xavier_uniform_(self.lin.weight)
        self.lin.bias.data.fill_(0.1)
        with torch.no_grad():
            self.scale.fill_(1)
        for m in self.modules():
            if isinstance(m, nn.Linear):
                m.weight.data.normal_(0, 0.02)
    def forward(self, x):
        return self.lin(x) * self.scale
>> run
Net()(torch.randn(2, 3)).sum().backward()

== tensors that nobody differentiates through
class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        mask = torch.ones(3, 3).tril_()
        mask[0] = 1
        mask.masked_fill_(mask == 0, float("-inf"))
        pos = torch.arange(3)
        pos += 1
        return self.lin(x) + mask + pos
>> run
Mask()(torch.randn(3, 3)).sum().backward()

== apply walks over the modules
def init(m):
    if isinstance(m, nn.Linear):
        m.weight.fill_(0.1)  # <- IPG103
net = nn.Sequential(nn.Linear(3, 3))
net.apply(init)
net(torch.randn(2, 3)).sum().backward()
--
@torch.no_grad()
def init(m):
    if isinstance(m, nn.Linear):
        m.weight.fill_(0.1)
net = nn.Sequential(nn.Linear(3, 3))
net.apply(init)
net(torch.randn(2, 3)).sum().backward()

== the weight of another module's layer shared
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.emb.weight
    def forward(self, ids):
        logits = self.head(self.emb(ids))
        with torch.no_grad():
            self.emb.weight.mul_(0.9)  # <- IPG101
        return logits
>> run
LM()(torch.tensor([1, 2])).sum().backward()
--
class LM(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5, bias=False)
        self.head.weight = self.emb.weight
    def forward(self, ids):
        with torch.no_grad():
            self.emb.weight.mul_(0.9)
        return self.head(self.emb(ids))
>> run
LM()(torch.tensor([1, 2])).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
