"""What a custom Function keeps on ctx: save_for_backward, where the write itself has to stay."""

from __future__ import annotations

from .marked import Case, cases, check, line_of

SAVE = "backward then raises instead of using the overwritten values"


@cases(
    f"""
== the write is made out of place where that is right
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.y = y
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y


def f(x, mask):
    w = Exp.apply(x)  # saved
    w *= mask  # <-
    return w
--
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.y = y
        return y

    @staticmethod
    def backward(ctx, g):
        return g * ctx.y


def f(x, mask):
    w = Exp.apply(x)  # saved
    w = w * mask
    return w

== where it is not, autograd is told ?? {SAVE}
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        y = x.exp()
        ctx.scale = scale
        ctx.y = y
        return y

    @staticmethod
    def backward(ctx, g):
        \"\"\"Its own result.\"\"\"
        return g * ctx.y * ctx.scale, None


def shift(w):
    w += 1  # <-


def f(x):
    w = Exp.apply(x, 2)  # saved
    shift(w)
    return w
--
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        y = x.exp()
        ctx.scale = scale
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        \"\"\"Its own result.\"\"\"
        (y,) = ctx.saved_tensors
        return g * y * ctx.scale, None


def shift(w):
    w += 1


def f(x):
    w = Exp.apply(x, 2)  # saved
    shift(w)
    return w

== two tensors on ctx !! nothing reads `w` afterwards
class Mul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.a = a
        ctx.b = b
        return a.mul(b)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.b, g * ctx.a


def shift(w):
    w += 1  # <-


def f(x):
    w = x * 1
    y = Mul.apply(w, w)  # saved
    shift(w)
    return y
"""
)
def test_programs(case: Case) -> None:
    name = "Mul" if "Mul" in case.before else "Exp"
    check(case, "IPG204", saved=line_of("# saved", name))
