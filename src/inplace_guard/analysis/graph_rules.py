"""Rules that need no save: aliases kept as copies, repeated indices, roots without a graph."""

from __future__ import annotations

import ast
import itertools
from functools import partial
from typing import TYPE_CHECKING

from inplace_guard.analysis.tape import Hazard, Place, Write
from inplace_guard.analysis.values import NO, NUMBER, PLAIN, UNKNOWN, YES, Const, Piece, Seq, Tensor, Value

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

# Ops that compare two tensors: of one and the same memory they say nothing.
DIFFERENCES = frozenset({"sub", "mse_loss", "l1_loss", "smooth_l1_loss", "dist", "eq", "ne", "allclose", "equal",
                         "isclose", "kl_div", "cosine_similarity", "lerp_", "add_", "pairwise_distance"})  # fmt: skip
# Where the result of an in-place form goes under another name, the first name's values are gone too.
OVERWRITES = frozenset({"__setitem__", "copy_", "fill_", "zero_"})
RESETS = frozenset({"zero_", "clip_grad_norm_", "clip_grad_value_"})
SCATTERING = frozenset({"index_copy_"})
COLLECTORS = frozenset({"stack", "cat", "concat", "vstack", "hstack", "concatenate"})


def check_roots(it: Interpreter, roots: list[Tensor], place: Place) -> None:
    """backward from a tensor that was cut from its graph."""
    for t in roots:
        made_leaf = it.req(t) == YES and not it.nodes(t) and t.cut == "detach"
        if (it.req(t) == NO or made_leaf) and t.cut and it.sure(t):
            code = "IPG302" if t.cut == "no_grad" else "IPG303"
            at = it.heap.get(("cut at", min(t.mem)), place) if len(t.mem) == 1 else place
            it.report(Hazard(code, Write("backward", at, "backward"), None, ("backward", place), text=t.cut))


def out_with_grad(it: Interpreter, op: str, inputs: list[Tensor], place: Place) -> None:
    """out= with an argument that requires grad: PyTorch refuses."""
    if any(it.req(t) == YES for t in inputs):
        it.report(Hazard("IPG110", Write(op, place, "inplace")))


def repeated_index(it: Interpreter, base: Tensor, index: Value, value: Value, place: Place) -> None:
    """`x[idx] += y` where idx is known to repeat."""
    parts = it.items(index) if isinstance(index, Seq) else (index,)
    tensors = [part for part in parts if isinstance(part, Tensor)]
    if tensors and all(part.origin == "repeats" for part in tensors):  # beside an arange(), each pair comes once
        it.report(Hazard("IPG208", Write("__setitem__", place, "inplace"), certain=False))


def scattered(it: Interpreter, base: Tensor, bound: dict[str, Value], place: Place) -> None:
    """`x.scatter_(0, idx, y)` where idx is known to repeat along its first axis: one y of several stays."""
    index, dim = bound.get("index"), bound.get("dim")
    if isinstance(index, Tensor) and index.origin == "repeats" and isinstance(dim, Const) and dim.value == 0:
        it.report(Hazard("IPG208", Write("scatter_", place, "inplace"), certain=False, text="scatter"))


def same_memory(it: Interpreter, op: str, inputs: list[Tensor]) -> None:
    """Two operands that are one memory, written since either was bound: the older one was meant as a copy."""
    for a, b in itertools.pairwise(inputs):
        if op in COLLECTORS or a.mem != b.mem or a is b or a.view != PLAIN or b.view != PLAIN or not it.sure(a):
            continue
        if a.stamp and b.stamp and a.stamp != b.stamp:  # bound at two times (0: never under a name): the older one
            aliased(it, a, min(a.stamp, b.stamp))
        elif op in DIFFERENCES and (a.stamp or b.stamp or op.endswith("_")):
            aliased(it, a, max(a.stamp, b.stamp))
    if op in COLLECTORS:
        first: dict[frozenset[int], Tensor] = {}
        for t in inputs:
            if t.view == PLAIN and not t.many and it.sure(t):
                other = first.setdefault(t.mem, t)
                if other is not t and other.stamp != t.stamp:
                    aliased(it, t, min(other.stamp, t.stamp))


def swapped(it: Interpreter, targets: ast.Tuple, values: Seq, node: ast.AST) -> None:
    """`x[i], x[j] = x[j], x[i]`: the values are views, and the second is read after the first was written."""
    if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Tuple):
        return
    written: list[tuple[Value, str]] = []
    for target, read, value in zip(targets.elts, node.value.elts, it.items(values), strict=False):
        if not isinstance(target, ast.Subscript):
            return
        if isinstance(value, Tensor) and value.view != PLAIN and isinstance(read, ast.Subscript):
            index = ast.dump(read.slice)
            if any(isinstance(t, Tensor) and t.mem == value.mem and index == other for t, other in written):
                it.report(Hazard("IPG207", Write("__setitem__", it.place(node), "inplace"), certain=False, text="swap"))
                return
        written.append((it.eval(target.value), ast.dump(target.slice)))


def same_index(it: Interpreter, a: Value, b: Value) -> bool:
    if isinstance(a, Seq) and isinstance(b, Seq):
        ours, theirs = it.items(a), it.items(b)
        return len(ours) == len(theirs) and all(map(partial(same_index, it), ours, theirs))
    if isinstance(a, Const) and isinstance(b, Const):
        return bool(a.value == b.value)
    if isinstance(a, Piece) and isinstance(b, Piece):
        return a.text == b.text
    return a is b and a is not NUMBER and a is not UNKNOWN


def eaten(it: Interpreter, node: ast.Call, args: list[Value], stamps: list[int], result: Value) -> Value:
    """`f(x)` that wrote x and gave it back as its result, or in which an in-place module wrote x: unless x is bound
    anew, whoever reads x later reads what was written. (A function whose name ends in an underscore says so.)"""
    name = getattr(node.func, "attr", getattr(node.func, "id", "_"))
    if name.endswith("_") or any(keyword.arg == "out" for keyword in node.keywords):
        return result
    for expression, value, stamp in zip(node.args, args, stamps, strict=False):
        if isinstance(expression, ast.Name) and isinstance(value, Tensor) and len(value.mem) == 1:
            last = it.mem(min(value.mem)).last
            if last is None or it.stamp(value) <= stamp:
                continue
            if last.how != "inplace" and not (last.layer and last.how == "no_grad"):
                continue
            tensor = last.sure or value.origin in ("forward", "result") or bool(value.nodes)
            given_back = isinstance(result, Tensor) and value.mem == result.mem and tensor
            # A function that computes something of x, which was computed itself: that it writes all of x is a surprise.
            computed = last.sure and not last.part and bool(it.nodes(value)) and isinstance(result, Tensor | Seq)
            renamed = it.heap.get(("second name", min(value.mem))) is last
            # `self.act(h)` alone, act working in place: the write is all that is wanted of it.
            wanted = (renamed or (last.layer and last.place.line == node.lineno)) and it.scope.is_statement(node)
            if (given_back or computed or last.layer or renamed) and not wanted:
                it.frame.locals[expression.id] = value.but(origin="overwritten")
                it.heap["eaten", min(value.mem)] = last
                it.watched = True
    return result


def other_names(it: Interpreter, name: ast.expr, t: Value, stamp: int, index: Value | None = None) -> None:
    """After a write to `name`, or to `name[index]`: the other names of this memory in the running function. Whoever
    reads one of them from now on reads what was written."""
    if not isinstance(t, Tensor) or len(t.mem) != 1 or t.bypass:
        return
    memory = min(t.mem)
    last = it.mem(memory).last
    if last is None or last.how != "inplace" or it.stamp(t) <= stamp or not (last.sure and it.sure(t)):
        return
    if t.view != PLAIN:
        if isinstance(name, ast.Name) and index is None:
            piece_of_buffer(it, name.id, t, last)
        return
    if index is None and ("renamed", memory) in it.heap:
        held_elsewhere(it, memory, last)
    if not isinstance(name, ast.Name) or name.id in it.frame.looped:
        return  # `for gate in (i, f): gate.sigmoid_()` means to write i and f
    arguments = parameters(it.frame.func)
    for other, value in list(it.frame.locals.items()):
        if other == name.id or not isinstance(value, Tensor) or value.mem != t.mem or value.detached:
            continue
        piece = index is not None and value.region is not None and same_index(it, index, value.region)
        if (value.view == PLAIN or piece) and not value.origin.startswith("chained"):
            it.frame.locals[other] = value.but(origin="another name")
            it.heap["eaten", memory] = last
            it.watched = True
            if other in arguments and name.id not in arguments and index is None:
                it.heap["second name", memory] = last  # the caller's, too


def piece_of_buffer(it: Interpreter, name: str, t: Tensor, last: Write) -> None:
    """`bias = self.bias[:n]`, then `bias += 1`, with grad mode on: whoever uses this value uses the buffer, which the
    next call finds changed. (`self.count[:n] += 1` is what buffers are for.)"""
    changes = last.op not in OVERWRITES and ("buffer", min(t.mem)) in it.heap and it.heap["grad"]
    held = it.frame.locals.get(name)
    if changes and not it.heap["function"] and isinstance(held, Tensor) and held.mem == t.mem:
        it.frame.locals[name] = held.but(origin="another name")
        it.heap["eaten", min(t.mem)] = last
        it.watched = True


def as_held(it: Interpreter, receiver: ast.expr, result: Value) -> Value:
    """`bias.masked_fill_(…)` gives the slice of a buffer that `bias` is: who uses the result uses the buffer."""
    held = it.frame.locals.get(receiver.id) if isinstance(receiver, ast.Name) else None
    if not isinstance(held, Tensor) or held.origin != "another name" or not isinstance(result, Tensor):
        return result
    return result.but(origin=held.origin) if held.mem and held.mem == result.mem else result


def parameters(function: ast.AST | None) -> frozenset[str]:
    given = getattr(function, "args", None)
    if not isinstance(given, ast.arguments):
        return frozenset()
    return frozenset(arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs))


def renamed(it: Interpreter, t: Tensor) -> None:
    """`total = value`: whoever writes `total` from now on, as a value of its own, writes `value`."""
    if len(t.mem) == 1 and t.view == PLAIN and t.origin not in ("param", "buffer"):
        it.heap["renamed", min(t.mem)] = True


def held_elsewhere(it: Interpreter, memory: int, last: Write) -> None:
    """After a write under a second name: whoever reads the tensor from a list that holds it reads what was written."""
    for cell, items in list(it.heap.items()):
        if type(cell) is not tuple or cell[1:] != ("[]",):
            continue
        marked = tuple(
            item.but(origin="another name")
            if isinstance(item, Tensor) and item.mem == {memory} and item.view == PLAIN and item.stamp
            else item
            for item in items
        )
        if marked != items:
            it.heap[cell] = marked
            it.heap["eaten", memory] = last
            it.watched = True


def overlapping(it: Interpreter, t: Tensor, index: Value | None, sources: list[Tensor], place: Place) -> None:
    """`x[1:] = x[:-1]`, `x[1:].copy_(x[:-1])`: source and target share elements, which copy_ refuses."""
    if index is None:
        index = t.region
    elif t.view != PLAIN:
        return
    if not isinstance(index, Const) or not isinstance(index.value, slice):
        return
    for s in sources:
        region = s.region
        if s is not t and s.mem == t.mem and isinstance(region, Const) and isinstance(region.value, slice):
            ours, theirs = set(range(64)[index.value]), set(range(64)[region.value])
            if ours != theirs and ours & theirs:
                it.report(Hazard("IPG106", Write("__setitem__", place, "inplace"), text="overlap"))


def restored(it: Interpreter, t: Tensor, sources: list[Tensor], place: Place) -> None:
    """`p.copy_(old)` where `old` is the memory of p, written since it was put aside: nothing comes back."""
    for s in sources:
        same = s is not t and s.mem == t.mem and s.view == t.view == PLAIN and s.stamp and s.sure and t.sure
        last = it.mem(min(s.mem)).last if same else None
        if last is not None and last.value is not s and (last.place.line, last.place.file) != (place.line, place.file):
            aliased(it, s, s.stamp)


def stale_gradient(it: Interpreter, inputs: list[Tensor]) -> None:
    for t in inputs:
        if t.origin == "kept gradient" and all((w := it.mem(m).last) and w.op in RESETS for m in t.mem):
            aliased(it, t, t.stamp)


def stale_snapshot(it: Interpreter, t: Tensor, params: list[Tensor]) -> None:
    """A state_dict() loaded back after the parameters it aliases were written."""
    owned = frozenset(m for p in params for m in p.mem)
    through = {last.through for m in t.mem if (last := it.mem(m).last) is not None}
    if t.origin == "snapshot" and (t.mem <= owned) is not ("snapshot" in through):
        aliased(it, t, t.stamp)  # or one that was written itself, and with it the module that it came from


def same_each_time(it: Interpreter, items: list[Value]) -> None:
    """A list that was given one and the same memory again and again, written in between."""
    first: dict[int, Tensor] = {}
    for t in items:
        if isinstance(t, Tensor) and t.stamp and t.view == PLAIN and not t.many and len(t.mem) == 1 and it.sure(t):
            other = first.setdefault(min(t.mem), t)
            if other.stamp != t.stamp:
                aliased(it, t, min(other.stamp, t.stamp))


def shared_parameters(it: Interpreter, params: list[Tensor], place: Place) -> None:
    """step() on memory that a second parameter has too (made of the same tensor, or of its `.data`), or with gradients
    that are another parameter's and were zeroed as those."""
    stepped = frozenset(m for t in params for m in t.mem)
    for m in sorted(stepped):
        grad = it.heap.get(("grad", m))
        for g in sorted(grad.mem) if isinstance(grad, Tensor) else ():
            if ("zeroed", g) in it.heap:
                it.report(Hazard("IPG207", it.heap["zeroed", g], certain=False))
        if it.heap.get(("owned", m)) or it.heap.get(("lent", m), stepped) - stepped:
            it.report(Hazard("IPG207", Write("step", place, "optimizer"), certain=False))
            return


def aliased(it: Interpreter, t: Tensor, stamp: int) -> None:
    for m in sorted(t.mem):
        mem = it.mem(m)
        if mem.writes >= stamp and mem.last is not None:
            # `p.data = y` gives that one object other memory; a second tensor on the old memory stays as it is.
            if mem.last.how != "rebind" or not (t.bypass or t.detached or t.view != PLAIN):
                it.report(Hazard("IPG207", mem.last, certain=False))
            return


def clip_gradients(it: Interpreter, params: list[Tensor], op: str, node: ast.AST) -> None:
    for t in params:
        for m in t.mem:
            grad = it.heap.get(("grad", m))
            if isinstance(grad, Tensor):
                it.write(grad, op, it.place(node), "no_grad")


def written_between(it: Interpreter, left: Tensor, right: Tensor, stamp: int) -> None:
    """`h + act(h)`, `h + block(h)` with an in-place module in it: the left operand was read before the write, but it is
    the same memory."""
    last = it.mem(min(left.mem)).last if len(left.mem) == 1 else None
    if last is None or it.stamp(left) <= stamp or last.how != "inplace":
        return
    if left.mem == right.mem or last.layer:
        it.report(Hazard("IPG212", last, certain=False))


def zero_gradients(it: Interpreter, params: list[Tensor], to_none: Value, node: ast.AST) -> None:
    """zero_grad(): drops the gradients, or zeroes them where they are."""
    for t in params:
        for m in t.mem:
            grad = it.heap.get(("grad", m))
            if isinstance(grad, Tensor):
                if isinstance(to_none, Const) and to_none.value is False:
                    write = it.write(grad, "zero_", it.place(node), "no_grad")
                    for g in grad.mem:
                        if it.heap.get(("lent grad", g), t.mem) - t.mem:
                            it.heap["zeroed", g] = write
                else:
                    it.heap["grad", m] = it.tensor(NO, origin="grad")
