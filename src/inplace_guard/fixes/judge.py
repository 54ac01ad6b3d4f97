"""Whether an out-of-place form is right: who else must see the write.

A write in place changes the memory for everybody who holds it; the out-of-place form gives a new tensor to one name.
The two are the same if nobody else reads that memory afterwards.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from inplace_guard.fixes.attributes import judge_attribute
from inplace_guard.fixes.callers import Callers
from inplace_guard.fixes.history import has_no_history, is_leaf, is_unrecorded
from inplace_guard.fixes.memory import State, Thing, Things, base_of, holder_of, overlap
from inplace_guard.fixes.program import Program
from inplace_guard.fixes.tree import Function, has_effects, names_in, path_of, stored_by
from inplace_guard.fixes.values import Evaluator
from inplace_guard.fixes.verdict import SAFE, Verdict

__all__ = ["KEEPS", "Judge", "Write"]

# With these rules nobody can have relied on the write: backward or the write itself raises, or what they report is
# that others see it.
_NOT_FOR_OTHERS = {"IPG101", "IPG102", "IPG103", "IPG104", "IPG105", "IPG106", "IPG110", "IPG202", "IPG205", "IPG206",
                   "IPG207", "IPG211", "IPG212"}  # fmt: skip
KEEPS = "; it keeps the old values then"
_SEEN_BY_OTHERS = {"IPG206", "IPG207", "IPG212"}
_GATHERING = {"list", "tuple", "set", "dict", "map", "deque", "collections.deque", "iter", "zip", "enumerate"}
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


@dataclass(frozen=True, slots=True)
class Write:
    """A write to make out of place.

    `written`: the expression whose memory is written. `node`: the statement or call that writes. `target`: the path
    that is to get the new tensor; empty if only the value of `node` has it. `item`: the target is an element of a
    list or dict, or of what `target` names. `then`: what the statement evaluates between two writes.
    """

    code: str
    node: ast.stmt | ast.expr
    written: ast.expr
    target: str = ""
    item: bool = False
    then: tuple[ast.expr, ...] = ()


class Judge:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._tree = program.tree
        self.callers = Callers(program)

    def verdict(self, write: Write) -> Verdict:
        found = SAFE
        for verdict in self._doubts(write):
            if verdict.seen and write.code in _NOT_FOR_OTHERS:
                reason = f"{verdict.reason}{KEEPS}"
                verdict = replace(verdict, applicability="unsafe", reason=reason)
            found = found.worse(verdict)
            if found.applicability == "none":
                break
        return found

    def is_read_later(self, path: str, node: ast.AST) -> bool:
        """Whether the name may be read after the statement of this node, by more than further writes in place."""
        statement = self._tree.statement(node)
        return self._program.liveness(self._tree.scope(statement), writes_read=False).is_read(path, statement)

    def things(self, expression: ast.expr, statement: ast.stmt) -> Things | None:
        """What the expression may share, evaluated in this statement; None if that is never reached."""
        flow = self._program.flow(self._tree.scope(statement))
        before = flow.before.get(statement) if flow is not None else None
        if before is None:
            return None
        evaluator = Evaluator(self._program, self._tree.scope(statement))
        evaluator.state = before.copy()
        for parent in reversed([p for p in self._tree.above(expression) if isinstance(p, _COMPREHENSIONS)]):
            for generator in parent.generators:
                evaluator.loop(generator.target, generator.iter)
        if isinstance(statement, ast.For | ast.AsyncFor) and expression is not statement.iter:
            evaluator.loop(statement.target, statement.iter)
        return frozenset(thing for thing in evaluator.value(expression) if thing[0] != "code")

    def _doubts(self, write: Write) -> Iterator[Verdict]:
        statement = self._tree.statement(write.node)
        scope = self._tree.scope(statement)
        if isinstance(scope, ast.ClassDef):
            yield Verdict.refuse("it is written in the body of a class")
            return
        in_lambda = next((p for p in self._tree.above(write.node) if isinstance(p, ast.Lambda)), None)
        if in_lambda is not None:
            if self._is_called_for_the_write(in_lambda) or self._is_dropped(write.node):
                yield Verdict.for_others("the lambda is called for the write alone")
            yield Verdict.doubt("it is written in a lambda, and who calls that cannot be told")
            return
        things = self.things(write.written, statement)
        if things is None:
            yield Verdict.refuse("the statement is never reached")
            return
        if not write.target and self._is_dropped(write.node):
            yield Verdict.for_others("nothing uses the value: the write is for whoever else holds the tensor")
            return
        if self._marked_dirty(scope):
            yield Verdict.refuse("mark_dirty says that the Function writes in place")
            return
        path, owner = path_of(write.written), self._tree.owner(scope)
        if is_unrecorded(self._tree, write.node) and not has_no_history(self._tree, path, owner):
            yield Verdict.refuse("it is written with grad mode off, where a new tensor would have no history")
        if write.target:
            yield from self._target(write, statement, scope)
        if self._tree.in_comprehension(write.node):
            yield from self._repeated(write)
        yield from self._others(write, things, statement, scope)
        seen: set[tuple[ast.AST, str]] = set()
        for name in sorted({base[1] for base in map(base_of, things) if base[0] == "param"}):
            yield from self._argument(write, name, scope, statement, seen)

    def _target(self, write: Write, statement: ast.stmt, scope: ast.AST) -> Iterator[Verdict]:
        root = write.target.partition(".")[0]
        if self._tree.in_comprehension(write.node):
            yield Verdict.refuse(f"a comprehension cannot give `{write.target}` a new value")
            return
        if self._tree.home(root, scope) is not scope:
            yield Verdict.refuse(f"`{root}` is not a variable of this function")
            return
        if root in _declared(scope):
            yield Verdict.refuse(f"`{root}` is declared global or nonlocal")
            return
        if "." not in write.target and is_leaf(self._tree, write.target, scope):
            yield Verdict.refuse(f"`{write.target}` is a leaf or keeps its gradient, which a new tensor would not")
            return
        if "." in write.target and write.code == "IPG209":
            yield Verdict.refuse(f"the recomputation would give `{write.target}` a new value once more")
        elif "." in write.target and not write.item:
            yield judge_attribute(self._program, write.target, scope)
        elif write.code == "IPG209" and root in self._tree.captured(scope):
            yield Verdict.refuse(f"a function that captures `{root}` would see the new value in the recomputation")
        elif not write.item and not self.is_read_later(write.target, write.node):
            yield Verdict.for_others(
                f"nothing reads `{write.target}` afterwards: whoever else holds the tensor is to see the write"
            )

    def _is_called_for_the_write(self, function: ast.Lambda) -> bool:
        """Whether a call of the lambda stands alone: `(lambda t: t.mul_(2))(h)`, or by the name it is given."""
        parent = self._tree.parents[function]
        names = {path_of(target) for target in parent.targets} if isinstance(parent, ast.Assign) else set()
        return any(
            isinstance(self._tree.parents[call], ast.Expr)
            and (call.func is function or path_of(call.func) in names - {""})
            for call in self._tree.calls
        )

    def _is_dropped(self, node: ast.AST) -> bool:
        """Whether the value of an expression, or what holds it, ends with its statement: `[t.mul_(2) for t in ts]`."""
        child = node
        for parent in self._tree.above(node) if isinstance(node, ast.expr) else ():
            if isinstance(parent, ast.Expr):
                return True
            if isinstance(parent, ast.Assign) and all(isinstance(target, ast.Name) for target in parent.targets):
                return not any(self.is_read_later(path_of(target), parent) for target in parent.targets)
            if isinstance(parent, _COMPREHENSIONS):
                goes_on = not isinstance(child, ast.comprehension)
            elif isinstance(parent, ast.BoolOp | ast.IfExp):
                goes_on = child is not (parent.test if isinstance(parent, ast.IfExp) else parent.values[0])
            elif isinstance(parent, ast.Call):
                goes_on = path_of(parent.func) in _GATHERING
            else:
                goes_on = isinstance(parent, ast.Tuple | ast.List | ast.Set | ast.Dict | ast.Starred | ast.Lambda)
            if not goes_on:
                return False
            child = parent
        return False

    def _marked_dirty(self, scope: ast.AST) -> bool:
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == "mark_dirty"
            and self._program.is_context(path_of(node), scope)
            for node in ast.walk(scope)
        )

    def _repeated(self, write: Write) -> Iterator[Verdict]:
        """A comprehension runs the write once an item: each time on another tensor, if it depends on the item."""
        own: set[str] = set()
        for parent in self._tree.above(write.node):
            if isinstance(parent, _COMPREHENSIONS):
                own.update(name for generator in parent.generators for name in stored_by(generator.target))
        if not own & names_in(write.written):
            yield Verdict.others_see("the comprehension reads the same tensor again for the next item")

    def _others(self, write: Write, things: Things, statement: ast.stmt, scope: ast.AST) -> Iterator[Verdict]:
        flow = self._program.flow(scope)
        state = flow.before[statement] if flow is not None else State()
        exempt = frozenset(thing for thing in things if self._exempt(thing, scope))
        things -= exempt
        given = stored_by(*_targets(statement))
        beside = (
            names_in(*self._own_parts(statement), leave_out=write.node)
            if isinstance(write.node, ast.expr)
            else frozenset()
        )
        beside |= names_in(*write.then) - {write.target}
        if write.target in self._tree.captured(scope) and any(has_effects(part) for part in write.then):
            yield Verdict.refuse(f"what is called between two writes may read `{write.target}`")
        for path, held in state.names.items():
            own = path == write.target or (write.target and path.startswith(f"{write.target}."))
            if own or self._program.is_context(path, scope):
                continue
            if not any(overlap(one, other) for one in things for other in held):
                continue
            if path in beside or (path not in given and self._program.liveness(scope).is_read(path, statement)):
                reason = f"`{path}` may be the same tensor and is read afterwards"
                yield replace(Verdict.others_see(reason), held=path in beside)  # or before, in the same statement
        yield from self._iterators(things, write.target if not write.item else "", statement, state)
        if write.target and not write.item and write.target in beside:
            yield Verdict.others_see(f"`{write.target}` is read again in the same statement")
        if any(overlap(one, other) for one in things for other in state.escaped - exempt):
            yield Verdict.others_see("the tensor was stored, yielded or handed to code that may keep it")
        for base in {base_of(thing) for thing in things}:
            if base[0] == "attr" and base[1] != write.target and base[1] not in given:
                yield Verdict.others_see(f"`{base[1]}` may be the same tensor")
            elif base[0] == "global" and base[1] != write.target:
                yield Verdict.others_see(f"`{base[1]}` is global: other code may read it")
            elif base[0] == "outside":
                yield Verdict.doubt(
                    "the tensor comes from code that is not seen here, which may still hold it", held=True
                )

    def _iterators(self, things: Things, path: str, statement: ast.stmt, state: State) -> Iterator[Verdict]:
        """A loop around the statement holds the tensors that are still to come; its own item it has handed out. A
        context manager may read what it holds when it is left."""
        for block in self._tree.above(statement):
            if isinstance(block, ast.For | ast.AsyncFor) and path not in stored_by(block.target):
                reason = f"the loop on line {block.lineno} may come to the same tensor again"
            elif isinstance(block, ast.With | ast.AsyncWith):
                reason = f"the context manager of line {block.lineno} may read the tensor at its end"
            else:
                continue
            held = state.names.get(holder_of(block), frozenset())
            if any(overlap(one, other) for one in things for other in held):
                yield Verdict.others_see(reason)

    def _exempt(self, thing: Thing, scope: ast.AST) -> bool:
        """What autograd saved must never see a write."""
        base = base_of(thing)
        return base[0] == "attr" and (base[1].endswith(".saved_tensors") or self._program.is_context(base[1], scope))

    def _argument(
        self, write: Write, name: str, function: ast.AST, statement: ast.stmt | None, seen: set[tuple[ast.AST, str]]
    ) -> Iterator[Verdict]:
        """The written memory is an argument of the function: its callers hold it."""
        if not isinstance(function, Function) or (function, name) in seen:
            return
        seen.add((function, name))
        if statement is not None:
            returns = [
                node
                for node in ast.walk(function)
                if isinstance(node, ast.Return) and self._tree.scope(node) is function
            ]
            if not any(node.value is not None and not _is_none(node.value) for node in returns):
                reason = f"the function returns nothing, so its caller is to see the write in `{name}`"
                # A hook may look at a gradient in its own way, and return nothing.
                yield Verdict.doubt(reason) if write.code == "IPG206" else Verdict.for_others(reason)
                return
            if write.item and write.target == name:
                yield Verdict.doubt(f"the caller may hold the tensors in `{name}` under other names too", held=True)
        if write.code in _SEEN_BY_OTHERS:
            effects = [c for c in self.callers.named(function) if isinstance(self._tree.parents[c], ast.Expr)]
            if write.code == "IPG212" and effects:
                yield Verdict.for_others(f"line {effects[0].lineno} calls the function for the write alone")
            return
        if self.callers.is_passed_on(function):
            yield Verdict.doubt(
                f"`{getattr(function, 'name', 'it')}` is handed to other code, which may call it for the write alone",
                held=True,
            )
        if self._program.is_wrapped(function):
            yield Verdict.doubt(
                f"what the decorator of `{getattr(function, 'name', '')}` does with `{name}` is not seen", held=True
            )
        for site in self.callers.of(function, name):
            directly = statement is not None
            for verdict in self._call(write, site.call, site.argument, name, seen):
                alone = directly and verdict.seen and isinstance(self._tree.parents[site.call], ast.Expr)
                reason = f"line {site.call.lineno} calls the function for the write alone"
                yield Verdict.for_others(reason) if alone else replace(verdict, held=True)

    def _call(
        self, write: Write, call: ast.Call, argument: ast.expr | None, name: str, seen: set[tuple[ast.AST, str]]
    ) -> Iterator[Verdict]:
        statement = self._tree.statement(call)
        where = f"line {call.lineno}"
        if argument is None:
            yield Verdict.doubt(f"what {where} gives for `{name}` cannot be told", held=True)
            return
        scope = self._tree.scope(statement)
        things = self.things(argument, statement)
        flow = self._program.flow(scope)
        if things is None or flow is None or isinstance(scope, ast.ClassDef):
            return
        state = flow.before[statement]
        if self._tree.in_comprehension(call) and things and not self._depends_on_item(argument):
            yield Verdict.others_see(f"the comprehension on {where} reads the same tensor again for the next item")
        if is_unrecorded(self._tree, call):
            yield Verdict.doubt(f"{where} calls it with grad mode off, where a new tensor has no history")
        given = stored_by(*_targets(statement))
        yield from self._iterators(things, path_of(argument), statement, state)
        beside = names_in(*self._own_parts(statement), leave_out=argument)
        later = self._program.liveness(scope)
        for path, held in state.names.items():
            if not any(overlap(one, other) for one in things for other in held):
                continue
            if path in beside or (path not in given and later.is_read(path, statement)):
                yield Verdict.others_see(f"{where} gives it `{path}`, which is read afterwards")
        if any(overlap(one, other) for one in things for other in state.escaped):
            yield Verdict.others_see(f"the tensor that {where} gives was stored or handed to code that may keep it")
        for base in {base_of(thing) for thing in things}:
            if base[0] in ("attr", "global") and base[1] not in given and not self._exempt(base, scope):
                yield Verdict.others_see(f"{where} gives it `{base[1]}`, which lives on")
            elif base[0] == "outside":
                yield Verdict.doubt(f"what {where} gives comes from code that is not seen here", held=True)
            elif base[0] == "param":
                yield from self._argument(write, base[1], scope, None, seen)

    def _depends_on_item(self, expression: ast.expr) -> bool:
        own: set[str] = set()
        for parent in self._tree.above(expression):
            if isinstance(parent, _COMPREHENSIONS):
                own.update(name for generator in parent.generators for name in stored_by(generator.target))
        return bool(own & names_in(expression))

    def _own_parts(self, statement: ast.stmt) -> list[ast.AST]:
        """The expressions that the statement itself evaluates, without the statements in it."""
        parts: list[ast.AST] = []
        for child in ast.iter_child_nodes(statement):
            if isinstance(child, ast.expr | ast.withitem | ast.keyword):
                parts.append(child)
        return parts


def _targets(statement: ast.stmt) -> list[ast.expr]:
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign) else []


def _declared(scope: ast.AST) -> set[str]:
    return {name for node in ast.walk(scope) if isinstance(node, ast.Global | ast.Nonlocal) for name in node.names}


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
