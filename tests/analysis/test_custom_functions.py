"""Custom autograd Functions, gradient hooks, saved-tensor hooks and checkpointing."""

from __future__ import annotations

from .programs import checked

PROGRAMS = """
== a saved input written by the caller
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g
w = torch.randn(3, requires_grad=True)
h = w * 1
y = Square.apply(h)
h += 1  # <- IPG101
y.sum().backward()
--
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g
w = torch.randn(3, requires_grad=True)
h = w * 1
y = Square.apply(h)
y += 1
(y.sum() + h.sum()).backward()

== a saved result written by the caller
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g
w = torch.randn(3, requires_grad=True)
y = Exp.apply(w)
y.mul_(2)  # <- IPG101
y.sum().backward()
--
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    @staticmethod
    def backward(ctx, g):
        return ctx.saved_tensors[0] * g
w = torch.randn(3, requires_grad=True)
y = Exp.apply(w)
y = y.mul(2)
y.sum().backward()

== kept on ctx, written later
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return x * x
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.x * g
w = torch.ones(3, requires_grad=True)
h = w * 2
y = Square.apply(h)
h.zero_()  # <- IPG204
y.sum().backward()
result = w.grad
--
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.clone()
        return x * x
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.x * g
w = torch.ones(3, requires_grad=True)
h = w * 2
y = Square.apply(h)
h.zero_()
y.sum().backward()
result = w.grad

== an input written without mark_dirty
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(3)  # <- IPG205
        return x.sum()
    @staticmethod
    def backward(ctx, g):
        return g.expand(3) * 3
w = torch.ones(3, requires_grad=True)
h = w * 2
y = Scale.apply(h)
(y + h.square().sum()).backward()
result = w.grad
--
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sum() * 3
    @staticmethod
    def backward(ctx, g):
        return g.expand(3) * 3
w = torch.ones(3, requires_grad=True)
h = w * 2
y = Scale.apply(h)
(y + (3 * h).square().sum()).backward()
result = w.grad

== marked dirty and returned
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
w = torch.randn(3, requires_grad=True)
h = w * 1
AddOne.apply(h)
h.sum().backward()
-- a leaf
class AddOne(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.add_(1)  # <- IPG103 (raised later)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
w = torch.randn(3, requires_grad=True)
AddOne.apply(w)

== marked dirty, not returned
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(0, 1)  # <- IPG109
        ctx.mark_dirty(x)
        return x.sum()
    @staticmethod
    def backward(ctx, g):
        return g.expand(3)
w = torch.randn(3, requires_grad=True)
h = w * 1
y = Clamp.apply(h)
y.backward()
--
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.clamp_(0, 1)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, g):
        return g
w = torch.randn(3, requires_grad=True)
h = w * 1
y = Clamp.apply(h)
y.sum().backward()

== work inside forward is not recorded
class Work(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        y += 1
        y.mul_(x)
        ctx.save_for_backward(x)
        return y
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * (x.exp() * (1 + x) + 1)
w = torch.randn(3, requires_grad=True)
Work.apply(w).sum().backward()

== setup_context
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x ** 2 * g
w = torch.randn(3, requires_grad=True)
h = w * 1
y = Cube.apply(h)
h.neg_()  # <- IPG101
y.sum().backward()
--
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x ** 3
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x ** 2 * g
w = torch.randn(3, requires_grad=True)
h = w * 1
y = Cube.apply(h)
y.neg_()
(y.sum() + h.sum()).backward()

== backward writes its gradient argument
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 0.5
    @staticmethod
    def backward(ctx, g):
        return g.mul_(0.5)  # <- IPG206
a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
s = b * 1 + Half.apply(a)
s.sigmoid().sum().backward()
result = [a.grad, b.grad]
--
class Half(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 0.5
    @staticmethod
    def backward(ctx, g):
        return g.mul(0.5)
a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
s = b * 1 + Half.apply(a)
s.sigmoid().sum().backward()
result = [a.grad, b.grad]

== a tensor hook writes its argument
a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
c = b * 1
h = a * 1
h.register_hook(lambda g: g.mul_(0.1))  # <- IPG206
(c + h).sigmoid().sum().backward()
result = [a.grad, b.grad]
--
a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
c = b * 1
h = a * 1
h.register_hook(lambda g: g * 0.1)
(c + h).sigmoid().sum().backward()
result = [a.grad, b.grad]

== autograd.grad of a sum hands out one tensor twice
a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
ga, gb = torch.autograd.grad((a + b).square().sum(), [a, b])
ga.mul_(10)  # <- IPG206
result = [ga, gb]
--
a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
ga, gb = torch.autograd.grad((a + b).square().sum(), [a, b])
ga = ga.mul(10)
result = [ga, gb]

== the saved value written under saved-tensor hooks
w = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = w.exp()
y.mul_(2)  # <- IPG213
y.sum().backward()
result = w.grad
--
w = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    y = w.exp()
y.mul_(2)
y.sum().backward()
result = w.grad

== what a checkpointed segment reads besides its arguments
from torch.utils.checkpoint import checkpoint
w = torch.ones(3, requires_grad=True)
gain = torch.full((3,), 2.0)
y = checkpoint(lambda t: t * gain, w, use_reentrant=False)
gain.add_(5)  # <- IPG209
y.sum().backward()
result = w.grad
--
from torch.utils.checkpoint import checkpoint
w = torch.ones(3, requires_grad=True)
gain = torch.full((3,), 2.0)
y = checkpoint(lambda t: t * gain, w, use_reentrant=False)
y.sum().backward()
gain.add_(5)
result = w.grad

== the argument of a checkpointed segment
from torch.utils.checkpoint import checkpoint
w = torch.ones(3, requires_grad=True)
h = w * 2
y = checkpoint(lambda t: t.square(), h, use_reentrant=False)
h.add_(5)  # <- IPG101
y.sum().backward()
--
from torch.utils.checkpoint import checkpoint
w = torch.ones(3, requires_grad=True)
h = w * 2
y = checkpoint(lambda t: t.square(), h, use_reentrant=False)
y.add_(5)
(y.sum() + h.sum()).backward()

== a segment that writes what is its own
from torch.utils.checkpoint import checkpoint
def segment(t):
    y = t * 2
    y += 1
    return y.relu_()
w = torch.ones(3, requires_grad=True)
checkpoint(segment, w, use_reentrant=False).sum().backward()

== forward writes what it has kept for backward
class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        y = x.exp()
        ctx.save_for_backward(y, s)
        y *= s  # <- IPG204
        return y
    @staticmethod
    def backward(ctx, grad):
        y, s = ctx.saved_tensors
        return grad * s * y, None
w = torch.ones(3, requires_grad=True)
Gated.apply(w, torch.tensor(2.0)).sum().backward()
result = w.grad
--
class Gated(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, s):
        y = x.exp()
        ctx.save_for_backward(y, s)
        return y * s
    @staticmethod
    def backward(ctx, grad):
        y, s = ctx.saved_tensors
        return grad * s * y, None
w = torch.ones(3, requires_grad=True)
Gated.apply(w, torch.tensor(2.0)).sum().backward()
result = w.grad
-- and the result is kept
class Clamp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        x.clamp_(min=0)
        ctx.mark_dirty(x)
        return x
    @staticmethod
    def backward(ctx, grad):
        return grad * (ctx.saved_tensors[0] > 0)
w = torch.ones(3, requires_grad=True)
Clamp.apply(w * 1).sum().backward()
result = w.grad
-- and a buffer is filled
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.empty_like(x)
        ctx.save_for_backward(y)
        torch.exp(x, out=y)
        return y
    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]
w = torch.ones(3, requires_grad=True)
Exp.apply(w).sum().backward()
result = w.grad
"""

test_linter, test_pytorch = checked(PROGRAMS)
