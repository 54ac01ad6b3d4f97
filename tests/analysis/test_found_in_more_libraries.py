"""Kinds of false alarms from a further batch of other people's libraries, beside what must be reported."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== one layer after the other, more than are run one by one
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.LayerNorm(4), nn.Sigmoid(), nn.ReLU(inplace=True)])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)  # <- IPG101
        return x
Net()(torch.randn(2, 4)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True)])
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
Net()(torch.randn(2, 4)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        layers = []
        for _ in range(6):
            layers += [nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True)]
        self.layers = nn.ModuleList(layers)
    def forward(self, x):
        features = []
        for number, layer in enumerate(self.layers):
            x = layer(x)
            if number in (8, 17):
                features.append(x)
        return features
sum(x.sum() for x in Net()(torch.randn(2, 4))).backward()

== layers by their numbers, more than are run one by one
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4), nn.ReLU(inplace=True),
            nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4), nn.Linear(4, 4),
            nn.Softplus(), nn.Linear(4, 4), nn.Tanh(), nn.ReLU(inplace=True)])
    def forward(self, x):
        for k in range(6):
            x = self.layers[k](x)
        for k in range(6, 12):
            x = self.layers[k](x)  # <- IPG101
        return x
Net()(torch.randn(2, 4)).sum().backward()
--
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([
            nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4), nn.ReLU(inplace=True),
            nn.LayerNorm(4), nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 4),
            nn.ReLU(inplace=True), nn.Linear(4, 4), nn.LayerNorm(4), nn.ReLU(inplace=True)])
    def forward(self, x):
        for k in range(5):
            x = self.layers[k](x)
        for k in range(5, len(self.layers)):
            x = self.layers[k](x)
        return x
Net()(torch.randn(2, 4)).sum().backward()

== a number where a tensor was expected
class Variable(nn.Module):
    def __init__(self, key, value):
        super().__init__()
        self.key, self.value = key, value
    def forward(self, data):
        data[self.key] = self.value
        return self.value
class Constraint(nn.Module):
    def __init__(self, left):
        super().__init__()
        if not type(left) is Variable:
            left = Variable("left", torch.randn(1, requires_grad=True))
        self.left = left
    def forward(self, data):
        if isinstance(self.left, Variable):
            left = self.left(data)
            if not isinstance(left, torch.Tensor):
                left = torch.tensor(left)
        return {"loss": left * 2}
>> run
Constraint(3)({})["loss"].backward()
assert Constraint(Variable("left", 2.0))({})["loss"] == 4

== a number where no tensor was expected
class Gain(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))
    def forward(self, x):
        value = self.gain.sum() * 2
        if isinstance(value, torch.Tensor):
            value = torch.tensor(value)  # <- IPG303
        return x * value
net = Gain()
(net(torch.ones(3)).sum() + 0 * net.gain.sum()).backward()
result = net.gain.grad
--
class Gain(nn.Module):
    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(3))
    def forward(self, x):
        value = self.gain.sum() * 2
        if not torch.is_tensor(value):
            value = torch.tensor(value)
        return x * value
net = Gain()
(net(torch.ones(3)).sum() + 0 * net.gain.sum()).backward()
result = net.gain.grad

== averaged weights for the time of a validation
class Trainer:
    def __init__(self, model, optim, averages):
        self.model, self.optim, self.averages = model, optim, averages
    def validate(self, batch):
        model = self.model
        old = []
        for average, param in zip(self.averages, model.parameters()):
            old.append(param.data)
            param.data = average.data.half() if param.dtype == torch.float16 else average.data
        score = model(batch).detach()
        for kept, param in zip(old, self.model.parameters()):
            param.data = kept
        return score
    def accumulate(self, loss):
        try:
            self.optim.backward(loss)
        except Exception as error:
            print(error)
>> run
model = nn.Linear(2, 1)
before = model.weight.detach().clone()
trainer = Trainer(model, None, [torch.ones(1, 2), torch.ones(1)])
assert trainer.validate(torch.ones(1, 2)) == 3
assert torch.equal(model.weight, before)

== scores that come from elsewhere
class Prior(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
    def forward(self, x, other):
        other = torch.as_tensor(self.model.score(x, other))
        other = F.log_softmax(other, dim=-1)
        other[:, 0] = -50
        return F.kl_div(F.log_softmax(x, dim=-1), other, log_target=True)
>> run
class Scorer:
    def score(self, x, other):
        return (x.detach() + other).numpy()
Prior(Scorer())(torch.randn(2, 4, requires_grad=True), torch.ones(4)).backward()

== a gradient that goes no further than to what was computed
x = torch.zeros(3, requires_grad=True)
y = x.exp()
print(torch.autograd.grad(y.sin().sum(), x))
print(torch.autograd.grad(y.cos().sum(), x))  # <- IPG301
--
def attack(model, x, steps):
    x = x.clone().requires_grad_()
    for _ in range(steps):
        for scale in (1.0, 2.0):
            g = torch.autograd.grad(model(x * scale).sum(), x)[0]
        x = (x + g.sign()).clamp(0, 1)
    return x
attack(nn.Sequential(nn.Linear(3, 3), nn.Tanh()), torch.rand(2, 3), 3)
--
x = torch.zeros(3, requires_grad=True)
y = x.exp()
z = y.sin()
print(torch.autograd.grad(z.sum(), (z, y)))
print(torch.autograd.grad(y.cos().sum(), (y,)))
print(torch.autograd.grad(y.sin().sum(), (y,)))

== a norm or none, then an activation
def make_norm(kind, width):
    if kind == "layer":
        return nn.LayerNorm(width)
    elif kind == "instance":
        return nn.InstanceNorm1d(width)
    else:
        return nn.Identity()
class Layer(nn.Module):
    def __init__(self, norm=None):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.norm = make_norm(norm, 4) if norm is not None else None
        self.act = nn.ReLU(inplace=True)
    def forward(self, x):
        out = self.fc(x)
        normed = self.norm(out) if self.norm is not None else out
        out = self.act(out)  # <- IPG101
        return out + normed
Layer("layer")(torch.randn(2, 4)).sum().backward()
--
def make_norm(kind, width):
    if kind == "layer":
        return nn.LayerNorm(width)
    elif kind == "instance":
        return nn.InstanceNorm1d(width)
    else:
        return nn.Identity()
class Layer(nn.Module):
    def __init__(self, norm=None):
        super().__init__()
        self.fc = nn.Linear(4, 4)
        if norm is not None:
            self.norm = make_norm(norm, 4)
        else:
            self.norm = None
        self.act = nn.ReLU(inplace=True)
    def forward(self, x):
        out = self.fc(x)
        if self.norm is not None:
            out = self.norm(out)
        return self.act(out)
>> run
for kind in ("layer", "instance", "none", None):
    Layer(kind)(torch.randn(2, 4)).sum().backward()

== a copy that requires grad if its source does
class Static(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        kept = x.detach().clone().requires_grad_(True)
        kept.copy_(x)  # <- IPG103
        return self.lin(kept)
Static()(torch.ones(2, 3)).sum().backward()
--
class Static(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)
    def forward(self, x):
        flag = x.requires_grad
        kept = x.detach().clone().requires_grad_(flag)
        kept.copy_(x)
        return self.lin(kept)
>> run
Static()(torch.ones(2, 3)).sum().backward()

== a state that somebody else resets
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.state = torch.zeros(2)
    def forward(self, x):
        self.state = torch.tanh(self.lin(x) + self.state)
        return self.state
def train(note):
    net = Cell()
    for step in range(3):
        loss = net(torch.ones(1, 2)).sum()
        loss.backward()  # <- IPG301
        note(step)
>> run
train(lambda step: None)
--
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(2, 2)
        self.state = torch.zeros(2)
    def forward(self, x):
        self.state = torch.tanh(self.lin(x) + self.state)
        return self.state
def train(reset):
    net = nn.Sequential(nn.Linear(2, 2), Cell())
    for step in range(3):
        loss = net(torch.ones(1, 2)).sum()
        loss.backward()
        reset(net)
>> run
def reset(net):
    net[1].state = torch.zeros(2)
train(reset)
"""

test_linter, test_pytorch = checked(PROGRAMS)
