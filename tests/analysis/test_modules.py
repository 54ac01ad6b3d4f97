"""Calling modules: chains and lists of them, in-place modules, torch.nn's own, train and eval."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== an in-place activation after a layer that saves its result
net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True))  # <- IPG101
net(torch.randn(2, 3)).sum().backward()
--
net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 1))
net(torch.randn(2, 3)).sum().backward()

== the in-place activation eats the skip connection
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.act = nn.ReLU(inplace=True)
    def forward(self, x):
        x = x * 2
        y = self.norm(x)
        return y + self.act(x)  # <- IPG101
>> run
Block()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.act = nn.ReLU(inplace=True)
    def forward(self, x):
        x = x * 2
        y = self.norm(x)
        return self.act(y + x)
>> run
Block()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== one branch writes what the other read
class Fork(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 1, 1)
        self.b = nn.Sequential(nn.ReLU(inplace=True), nn.Conv2d(1, 1, 1))  # <- IPG101
        self.stem = nn.Conv2d(1, 1, 3)
    def forward(self, x):
        x = self.stem(x)
        return self.a(x) + self.b(x)
>> run
Fork()(torch.randn(1, 1, 5, 5)).sum().backward()
--
class Fork(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv2d(1, 1, 1)
        self.b = nn.Sequential(nn.ReLU(), nn.Conv2d(1, 1, 1))
        self.stem = nn.Conv2d(1, 1, 3)
    def forward(self, x):
        x = self.stem(x)
        return self.a(x) + self.b(x)
>> run
Fork()(torch.randn(1, 1, 5, 5)).sum().backward()

== the skip is read after the in-place activation, in silence
torch.manual_seed(1)
lin = nn.Linear(4, 4)
act = nn.ReLU(inplace=True)
x = torch.randn(8, 4, requires_grad=True)
h = x * 2
y = h + act(h)  # <- IPG212
y.sum().backward()
result = x.grad
--
torch.manual_seed(1)
lin = nn.Linear(4, 4)
act = nn.ReLU()
x = torch.randn(8, 4, requires_grad=True)
h = x * 2
y = h + act(h)
y.sum().backward()
result = x.grad

== ModuleList with a carried state
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.LayerNorm(3) for _ in range(2))
    def forward(self, x):
        x = x * 2
        for layer in self.layers:
            x += layer(x)  # <- IPG101
        return x
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.LayerNorm(3) for _ in range(2))
    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== ModuleDict by name
class Net(nn.Module):
    def __init__(self, kind="gelu"):
        super().__init__()
        self.acts = nn.ModuleDict({"gelu": nn.GELU(), "none": nn.Identity()})
        self.kind = kind
    def forward(self, x):
        x = x * 2
        y = self.acts[self.kind](x)
        x -= y  # <- IPG101
        return x
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.acts = nn.ModuleDict({"gelu": nn.GELU(), "none": nn.Identity()})
    def forward(self, x):
        x = x * 2
        y = self.acts["gelu"](x)
        y -= x
        return y
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== a helper that builds the layers
def block(d, inplace=True):
    return nn.Sequential(nn.Linear(d, d), nn.Tanh(), nn.Dropout(0.5, inplace=inplace))  # <- IPG101
net = nn.Sequential(block(3), nn.Linear(3, 1))
net(torch.randn(2, 3)).sum().backward()
--
def block(d, inplace=True):
    return nn.Sequential(nn.Linear(d, d), nn.Dropout(0.5, inplace=inplace))
net = nn.Sequential(block(3), nn.Linear(3, 1))
net(torch.randn(2, 3)).sum().backward()

== dropout in place only writes in training
net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Dropout(0.5, inplace=True))
net.eval()
net(torch.randn(2, 3)).sum().backward()

== a factory argument with a known default
class Block(nn.Module):
    def __init__(self, dim=3, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm = norm_layer(dim)
    def forward(self, x):
        x = x * 2
        x += self.norm(x)  # <- IPG101
        return x
>> run
Block()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Block(nn.Module):
    def __init__(self, dim=3, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm = norm_layer(dim)
    def forward(self, x):
        x = x * 2
        y = self.norm(x)
        y += x
        return y
>> run
Block()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== a module made by setattr, called by getattr
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(2):
            setattr(self, f"norm{i}", nn.LayerNorm(3))
    def forward(self, x):
        x = x * 2
        y = getattr(self, "norm0")(x)
        return x.add_(y)  # <- IPG101
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        for i in range(2):
            setattr(self, f"norm{i}", nn.LayerNorm(3))
    def forward(self, x):
        x = x * 2
        y = getattr(self, "norm0")(x)
        return y.add_(x)
>> run
Net()(torch.randn(2, 3, requires_grad=True)).sum().backward()

== LSTM: output, hidden and cell state
rnn = nn.LSTM(3, 3)
out, (h, c) = rnn(torch.randn(2, 1, 3))
out.add_(1)  # <- IPG101
(out.sum() + h.sum()).backward()
--
rnn = nn.LSTM(3, 3)
out, (h, c) = rnn(torch.randn(2, 1, 3))
out = out + 1
(out.sum() + h.sum()).backward()

== attention module: its result may be written
attn = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(1, 3, 4)
y, weights = attn(x, x, x)
x += y.detach()  # <- IPG101
y.sum().backward()
--
attn = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(1, 3, 4)
y, weights = attn(x, x, x)
y += x
y.sum().backward()

== Identity and Flatten hand on their input
w = torch.randn(2, 3, requires_grad=True)
h = w.exp()
y = nn.Flatten()(nn.Identity()(h))
y.mul_(2)  # <- IPG101
h.sum().backward()
--
w = torch.randn(2, 3, requires_grad=True)
h = w.exp()
y = nn.Softplus()(nn.Identity()(h))
y.mul_(2)
(y.sum() + h.sum()).backward()

== a Sequential subclass
class ConvReLU(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.Linear(d, d), nn.Sigmoid(), nn.Hardtanh(inplace=True))  # <- IPG101
net = ConvReLU(3)
net(torch.randn(2, 3)).sum().backward()
--
class ConvReLU(nn.Sequential):
    def __init__(self, d):
        super().__init__(nn.Linear(d, d), nn.Hardtanh(inplace=True))
net = ConvReLU(3)
net(torch.randn(2, 3)).sum().backward()

== a layer of torch.nn with another forward
class Scaled(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        x.mul_(2)  # <- IPG101
        return y
>> run
Scaled(3, 3)(torch.randn(2, 3)).sum().backward()
--
class Scaled(nn.Linear):
    def forward(self, x):
        y = super().forward(x)
        y.mul_(2)
        return y
>> run
Scaled(3, 3)(torch.randn(2, 3)).sum().backward()

== one of several norms, the identity among them, before an in-place activation
def make(kind):
    if kind == "layer":
        return nn.LayerNorm(3)
    elif kind == "batch":
        return nn.BatchNorm1d(3)
    elif kind == "none":
        return nn.Identity()
    return nn.InstanceNorm1d(3)
class Layer(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.linear, self.norm, self.act = nn.Linear(3, 3), make(kind), nn.ReLU(inplace=True)
    def forward(self, x):
        return self.act(self.norm(self.linear(x)))
>> run
for kind in ("layer", "batch", "none"):
    Layer(kind)(torch.randn(2, 3)).sum().backward()

== a dropout of one's own asks its base whether it works in place
class Always(nn.Dropout):
    def forward(self, x):
        return F.dropout(x, self.p, True, self.inplace)  # <- IPG101
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.drop = nn.Linear(3, 3), Always(0.5, True)
    def forward(self, x):
        return self.drop(torch.sigmoid(self.linear(x)))
>> run
Layer()(torch.randn(2, 3)).sum().backward()
--
class Always(nn.Dropout):
    def forward(self, x):
        return F.dropout(x, self.p, True, self.inplace)
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.drop = nn.Linear(3, 3), Always(0.5)
    def forward(self, x):
        return self.drop(torch.sigmoid(self.linear(x)))
>> run
Layer()(torch.randn(2, 3)).sum().backward()

== a hook that fills the weight at the first call, and removes itself
class Late(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3, 3))
        self.hook = self.register_forward_pre_hook(self.fill)
    def fill(self, module, args):
        self.weight.data.normal_()
        self.hook.remove()
    def forward(self, x):
        return F.linear(x, self.weight)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.late = Late()
    def forward(self, x):
        return self.late(self.late(x))
>> run
Net()(torch.randn(2, 3)).sum().backward()

== a base class that wraps the call of the module
class Wrapped(nn.Module):
    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs)
class Inner(Wrapped):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(3)
    def forward(self, x):
        return self.norm(x)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear, self.inner = nn.Linear(3, 3), Inner()
    def forward(self, x):
        h = self.linear(x)
        h += self.inner(h)  # <- IPG101
        return h
>> run
Net()(torch.randn(2, 3)).sum().backward()

== a size that a helper rounds up
def divisible(value, by):
    rounded = max(by, int(value + by / 2) // by * by)
    if rounded < 0.9 * value:
        rounded += by
    return rounded
class Net(nn.Module):
    def __init__(self, widths=(3, 5)):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(w, divisible(w, g)) for w, g in zip(widths, (2, 2))])
    def forward(self, x):
        y = self.layers[0](x)
        y += 1
        return y
>> run
Net()(torch.randn(2, 3)).sum().backward()

== the residual stream of the mini-GPT
class Block(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn, self.ffn = nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, h):
        h = h + self.attn(self.ln1(h))
        h.add_(self.ffn(self.ln2(h)))  # <- IPG101
        return h
>> run
Block()(torch.randn(2, 4)).sum().backward()
--
class Block(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn, self.ffn = nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, h):
        h = h + self.attn(self.ln1(h))
        return self.ffn(self.ln2(h)).add_(h)
>> run
Block()(torch.randn(2, 4)).sum().backward()
"""

test_linter, test_pytorch = checked(PROGRAMS)
