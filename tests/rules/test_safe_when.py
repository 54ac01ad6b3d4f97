"""What the pages call safe is safe: it runs, its numbers are right, and neither half says a word."""

from __future__ import annotations

import pytest

from inplace_guard import rules
from inplace_guard.analysis import analyze

from .programs import run

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n"

# (code, what the page says, program)
SAFE = [
    ("IPG101", "addition, subtraction, sum, cat and multiplication by a number save nothing", """
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
total = (h + 1).sum() + (h - 2).sum() + torch.cat([h, h]).sum() + (h * 2).sum()
h += 1
(total + h.sum()).backward()
assert x.grad.tolist() == [21.0, 21.0]
"""),
    ("IPG101", "Linear and Conv2d do not save their result", """
torch.manual_seed(0)
linear, conv = nn.Linear(2, 2), nn.Conv2d(1, 1, 2)
x, image = torch.randn(3, 2), torch.randn(1, 1, 4, 4)
loss = linear(x).relu_().sum() + conv(image).relu_().sum()
loss.backward()
assert torch.equal(linear.bias.grad, (linear(x) > 0).float().sum(0))
assert conv.bias.grad.item() == (conv(image) > 0).sum().item()
"""),
    ("IPG101", "the operation that saved it keeps its result, and the write makes that result", """
x = torch.tensor([0.0, 1.0], requires_grad=True)
h = x * 1
h.sigmoid_()
g = x * 1
g.exp_()
(h + g).sum().backward()
s = torch.sigmoid(x.detach())
assert torch.allclose(x.grad, s * (1 - s) + x.detach().exp())
"""),
    ("IPG101", "the write comes after the backward", """
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x.exp()
h.sum().backward()
h.mul_(0)
assert torch.allclose(x.grad, x.detach().exp())
"""),
    ("IPG101", "the forward ran under no_grad", """
net = nn.Sequential(nn.Linear(2, 2), nn.LayerNorm(2))
x = torch.randn(3, 2)
with torch.no_grad():
    x += net(x)
assert not x.requires_grad
"""),
    ("IPG101", "the write goes to a copy made after the save", """
torch.manual_seed(0)
embed, norm = nn.Linear(2, 3), nn.LayerNorm(3)
h = embed(torch.randn(4, 2))
y = norm(h)
out = h.clone()
out += y
out.square().sum().backward()
assert embed.bias.grad is not None
"""),
    ("IPG103", "under no_grad, nn.init and optimizers", """
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
nn.init.ones_(net.weight)
with torch.no_grad():
    net.bias.zero_()
net(torch.ones(1, 2)).sum().backward()
optimizer.step()
with torch.no_grad():
    net.weight.clamp_(-0.5, 0.5)
assert net.weight.tolist() == [[0.5, 0.5]]
"""),
    ("IPG103", "before requires_grad_()", """
w = torch.ones(2)
w += 1
w.requires_grad_()
(w * w).sum().backward()
assert w.grad.tolist() == [4.0, 4.0]
"""),
    ("IPG103", "on the result of an operation", """
w = torch.ones(2, requires_grad=True)
h = w.clone()
h += 1
h.sum().backward()
assert w.grad.tolist() == [1.0, 1.0]
"""),
    ("IPG104", "through nn.init", """
table = nn.Parameter(torch.ones(3, 2))
nn.init.zeros_(table[0])
table.sum().backward()
assert table[0].tolist() == [0.0, 0.0]
"""),
    ("IPG104", "if the base is the result of an operation, the write is recorded", """
table = nn.Parameter(torch.ones(3, 2))
rows = table * 1
rows[0] = 0
rows.sum().backward()
assert table.grad.tolist() == [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0]]
"""),
    ("IPG104", "the view made in front of the no_grad block", """
table = nn.Parameter(torch.ones(3, 2))
row = table[0]
with torch.no_grad():
    row.zero_()
table.sum().backward()
assert table[0].tolist() == [0.0, 0.0]
"""),
    ("IPG105", "a view that is the only output of its call", """
x = torch.ones(2, 4, requires_grad=True)
h = x * 1
h[:, :2] *= 3
h.sum().backward()
assert x.grad[0].tolist() == [3.0, 3.0, 1.0, 1.0]
"""),
    ("IPG105", "a base that does not require grad", """
w = torch.ones(2, requires_grad=True)
left, right = torch.ones(4).chunk(2)
left.mul_(3)
(left * w).sum().backward()
assert w.grad.tolist() == [3.0, 3.0]
"""),
    ("IPG105", "on a copy", """
x = torch.ones(4, requires_grad=True)
left, right = (x * 1).chunk(2)
left = left.clone()
left *= 3
(left + right).sum().backward()
assert x.grad.tolist() == [3.0, 3.0, 1.0, 1.0]
"""),
    ("IPG106", "after clone, contiguous and repeat", """
a = torch.zeros(1, 2).expand(3, 2).clone()
b = torch.zeros(1, 2).expand(3, 2).contiguous()
c = torch.zeros(1, 2).repeat(3, 1)
for t in (a, b, c):
    t += torch.tensor([[1.0], [2.0], [3.0]])
assert a.tolist() == b.tolist() == c.tolist() == [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]
"""),
    ("IPG106", "fill_ and zero_ of the whole tensor", """
a = torch.zeros(1, 2).expand(3, 2)
a.fill_(2.0)
assert a.sum() == 12
a.zero_()
assert a.sum() == 0
"""),
    ("IPG106", "expand that changed nothing", """
a = torch.zeros(3, 2).expand(3, 2)
a += torch.tensor([[1.0], [2.0], [3.0]])
assert a[:, 0].tolist() == [1.0, 2.0, 3.0]
"""),
    ("IPG107", "the later backward belongs to a forward that ran after the step", """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
x = torch.randn(4, 2)
for _ in range(2):
    optimizer.zero_grad()
    net(x).square().mean().backward()
    optimizer.step()
assert net[0].weight.grad is not None
"""),
    ("IPG107", "the later backward does not pass the stepped weights", """
torch.manual_seed(0)
actor, critic = nn.Linear(2, 2), nn.Linear(2, 1)
optimizer = torch.optim.SGD(critic.parameters(), lr=0.1)
hidden = actor(torch.randn(4, 2))
critic_loss, actor_loss = critic(hidden.detach()).square().mean(), hidden.square().mean()
critic_loss.backward()
optimizer.step()
actor_loss.backward()
assert actor.weight.grad is not None
"""),
    ("IPG107", "the weight was not saved", """
torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
score = net(torch.ones(4, 2))
first, second = score.sum(), score.sum() * 2
first.backward(retain_graph=True)
optimizer.step()
second.backward()
assert net.weight.grad.tolist() == [[12.0, 12.0]]
"""),
    ("IPG108", "adding saves nothing; a clone is a normal tensor; everything under the mode", """
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    features = torch.ones(2) * 2
    features.add_(1)
(features + w).sum().backward()
(features.clone() * w).sum().backward()
assert w.grad.tolist() == [4.0, 4.0]
"""),
    ("IPG109", "marked and returned", """
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.abs() <= 1)
        ctx.mark_dirty(x)
        x.clamp_(-1, 1)
        return x

    @staticmethod
    def backward(ctx, grad):
        (inside,) = ctx.saved_tensors
        return grad * inside


w = torch.tensor([0.5, 2.0], requires_grad=True)
Clamp.apply(w * 1).sum().backward()
assert w.grad.tolist() == [1.0, 0.0]
"""),
    ("IPG109", "only tensors that the function made itself", """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        out = x.clone()
        out.mul_(x)
        return out

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


w = torch.tensor([0.5, 2.0], requires_grad=True)
Square.apply(w * 1).sum().backward()
assert w.grad.tolist() == [1.0, 4.0]
"""),
    ("IPG110", "under no_grad, or where nothing requires grad", """
w = torch.tensor([1.0, 2.0], requires_grad=True)
buffer, other = torch.empty(2), torch.empty(2)
with torch.no_grad():
    torch.mul(w, 2.0, out=buffer)
torch.mul(buffer, 2.0, out=other)
(other * w).sum().backward()
assert w.grad.tolist() == [4.0, 8.0]
"""),
    ("IPG201", "between steps", """
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net.weight.data.fill_(1.0)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.ones(1, 2)).sum().backward()
    optimizer.step()
    net.weight.data.clamp_(-0.5, 0.5)
assert net.weight.tolist() == [[0.4 + 0.1, 0.5]] or net.weight.abs().max() <= 0.5
"""),
    ("IPG202", "the array is only read, or a copy", """
import numpy as np

x = torch.tensor([1.0, -1.0], requires_grad=True)
h = torch.sigmoid(x)
peak = float(h.detach().numpy().max())
a, b, c = h.detach().numpy().copy(), h.detach().clone().numpy(), np.array(h.detach().numpy())
for array in (a, b, c):
    array *= 0
h.sum().backward()
s = torch.sigmoid(x.detach())
assert torch.allclose(x.grad, s * (1 - s))
"""),
    ("IPG202", "the write comes after the backward", """
x = torch.tensor([1.0, -1.0], requires_grad=True)
h = torch.sigmoid(x)
h.sum().backward()
array = h.detach().numpy()
array *= 100
s = torch.sigmoid(x.detach())
assert torch.allclose(x.grad, s * (1 - s))
"""),
    ("IPG203", "a plain training loop with a fused optimizer", """
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
optimizer = torch.optim.AdamW(net.parameters(), fused=True)
for _ in range(2):
    optimizer.zero_grad()
    net(torch.ones(1, 2)).square().sum().backward()
    optimizer.step()
assert net[0].weight.grad is not None
"""),
    ("IPG203", "a batch norm whose train forward comes first", """
torch.manual_seed(0)
norm = nn.BatchNorm1d(2)
x = torch.randn(4, 2, requires_grad=True)
trained = norm(x)
norm.eval()
evaluated = norm(x)
(trained.square() + evaluated.square()).sum().backward()
assert x.grad is not None
"""),
    ("IPG204", "what is kept is no tensor, and nothing writes", """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor, ctx.shape = factor, x.shape
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad.reshape(ctx.shape) * ctx.factor, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Scale.apply(x, 3.0)
y *= 10
y.sum().backward()
assert x.grad.tolist() == [30.0, 30.0]
"""),
    ("IPG205", "only what apply returns is read", """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        ctx.mark_dirty(x)
        x *= factor
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


w = torch.tensor([1.0, 2.0], requires_grad=True)
h = Scale.apply(w * 1, 3.0)
h.sum().backward()
assert w.grad.tolist() == [3.0, 3.0]
"""),
    ("IPG206", "on a copy", """
def halve(grad):
    grad = grad.clone()
    return grad.mul_(0.5)


a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
left, right = a * 1, b * 1
right.register_hook(halve)
(left + right).square().sum().backward()
assert a.grad.tolist() == [8.0, 12.0]
"""),
    ("IPG206", "on .grad after the backward", """
net = nn.Linear(2, 1)
net(torch.ones(1, 2)).sum().backward()
nn.utils.clip_grad_norm_(net.parameters(), 0.1)
net.weight.grad.mul_(0.5)
assert net.weight.grad.norm() < 0.06
"""),
    ("IPG207", "read before the next write", """
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
w.square().sum().backward()
before = w.detach()
size = before.norm().item()
optimizer.step()
assert abs(size - 5 ** 0.5) < 1e-6
"""),
    ("IPG207", "a copy of the state", """
import copy

torch.manual_seed(0)
net = nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
best = copy.deepcopy(net.state_dict())
net(torch.ones(1, 2)).square().sum().backward()
optimizer.step()
moved = net.weight.detach().clone()
net.load_state_dict(best)
assert not torch.equal(moved, net.weight)
"""),
    ("IPG207", "the tensor is replaced and not written", """
w = torch.ones(2, requires_grad=True)
h, history = torch.ones(2), []
for _ in range(3):
    h = h * 0.5
    history.append(h)
(torch.stack(history) * w).sum().backward()
assert w.grad.tolist() == [0.875, 0.875]
"""),
    ("IPG208", "no place is named twice", """
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
out = torch.zeros(3)
out[torch.tensor([2, 0, 1])] += x
out[torch.arange(3)] += x
out[out.detach() > 4] += 1
out.sum().backward()
assert x.grad.tolist() == [2.0, 2.0, 2.0]
"""),
    ("IPG209", "the segment does not read what is written", """
from torch.utils.checkpoint import checkpoint

gain, other = torch.tensor([2.0]), torch.tensor([1.0])
x = torch.tensor([1.0], requires_grad=True)
y = checkpoint(lambda t: torch.tanh(t) * gain, x, use_reentrant=False)
other.mul_(0.5)
y.sum().backward()
assert torch.allclose(x.grad, 2 * (1 - torch.tanh(x.detach()) ** 2))
"""),
    ("IPG210", "with grad mode on the write is recorded", """
torch.manual_seed(0)
proj = nn.Linear(2, 2)
h = proj(torch.randn(4, 2))
h[:, 0] = 0
h.sum().backward()
assert proj.bias.grad.tolist() == [0.0, 4.0]
"""),
    ("IPG210", "a straight-through estimator, written so", """
x = torch.tensor([0.2, 0.8], requires_grad=True)
h = x * 2
rounded = h + (h.round() - h).detach()
rounded.sum().backward()
assert x.grad.tolist() == [2.0, 2.0]
"""),
    ("IPG211", "windows that do not overlap", """
signal = torch.zeros(6)
windows = signal.unfold(0, 2, 2)
windows[1] = 1.0
assert signal.tolist() == [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
"""),
    ("IPG212", "the old name is not read any more", """
torch.manual_seed(0)
proj, net = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True), nn.Linear(2, 1))
z = proj(torch.randn(3, 2))
z = F.relu(z, inplace=True)
net(z).sum().backward()
assert proj.bias.grad is not None
"""),
    ("IPG213", "the pack hook returns a copy", """
from torch.autograd.graph import saved_tensors_hooks

x = torch.tensor([0.0, 1.0], requires_grad=True)
with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    y = torch.sigmoid(x)
y.sub_(0.5)
y.sum().backward()
s = torch.sigmoid(x.detach())
assert torch.allclose(x.grad, s * (1 - s))
"""),
    ("IPG301", "nodes that save nothing", """
a = torch.ones(2, requires_grad=True)
loss = (a + 1).sum()
loss.backward()
loss.backward()
assert a.grad.tolist() == [2.0, 2.0]
"""),
    ("IPG301", "the first one retained the graph", """
a = torch.ones(2, requires_grad=True)
loss = (a * a).sum()
loss.backward(retain_graph=True)
loss.backward()
assert a.grad.tolist() == [4.0, 4.0]
"""),
    ("IPG302", "only a part runs under no_grad", """
torch.manual_seed(0)
student, teacher = nn.Linear(2, 1), nn.Linear(2, 1)
x = torch.randn(3, 2)
with torch.no_grad():
    target = teacher(x)
F.mse_loss(student(x), target).backward()
assert student.weight.grad is not None
"""),
    ("IPG302", "grad mode switched on again", """
net = nn.Linear(2, 1)
with torch.no_grad():
    with torch.enable_grad():
        loss = net(torch.ones(1, 2)).sum()
loss.backward()
assert net.weight.grad is not None
"""),
    ("IPG303", "the value is for a log; one term is detached on purpose", """
torch.manual_seed(0)
net, history = nn.Linear(2, 1), []
score = net(torch.ones(1, 2)).sum()
loss = (score - score.detach() * 0.9).square()
history.append(loss.item())
loss.backward()
assert net.weight.grad is not None
"""),
    ("IPG303", "the input itself is to be differentiated", """
torch.manual_seed(0)
net = nn.Linear(2, 1)
x = torch.tensor([[1.0, 2.0]], requires_grad=True)
net(x).sum().backward()
assert torch.equal(x.grad, net.weight.detach())
"""),
]  # fmt: skip

# Alarms that are wrong, by the half that gives them.
WRONG_STATIC: dict[str, str] = {
    "expand that changed nothing": "the analysis does not know shapes",
}
WRONG_AT_RUN_TIME: dict[str, str] = {}


def cases(wrong: dict[str, str]) -> list[object]:
    marks = {title: [pytest.mark.xfail(strict=True, reason=reason)] for title, reason in wrong.items()}
    return [
        pytest.param(HEAD + program.lstrip(), id=f"{code}: {title}", marks=marks.get(title, []))
        for code, title, program in SAFE
    ]


@pytest.mark.parametrize("program", cases({}))
def test_it_runs_and_is_right(program: str) -> None:
    done = run(program, "safe")
    assert done.error is None
    assert done.warned == ()


@pytest.mark.parametrize("program", cases(WRONG_STATIC))
def test_the_linter_is_quiet(program: str) -> None:
    assert analyze(program).findings == []


@pytest.mark.parametrize("program", cases(WRONG_AT_RUN_TIME))
def test_the_guard_is_quiet(program: str) -> None:
    done = run(program, "safe", guarded=True)
    assert done.findings == ()
    assert done.error is None


def test_every_rule_on_by_default_has_a_safe_case() -> None:
    assert {code for code, _, _ in SAFE} | {"IPG102"} == set(rules.resolve())
