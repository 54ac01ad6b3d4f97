"""What calls evaluate to, and what they keep: by the op table, by what is known of Python, by running the file's."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.fixes.callables import (
    ALL_NAMES,
    HOLDERS,
    PASSING,
    PLAIN_CALLS,
    STORING,
    TAKING_OUT,
    TYPES,
    is_unknown,
)
from inplace_guard.fixes.memory import NOTHING, OUTSIDE, Things
from inplace_guard.fixes.tree import Function, path_of
from inplace_guard.ops import Op

if TYPE_CHECKING:
    from inplace_guard.fixes.program import Place
    from inplace_guard.fixes.values import Evaluator

__all__ = ["call", "run"]


def call(ev: Evaluator, node: ast.Call) -> Things:
    positional = [ev.value(argument) for argument in node.args]
    keywords: dict[str, Things] = {}
    for keyword in node.keywords:
        name = keyword.arg or "**"
        keywords[name] = keywords.get(name, NOTHING) | ev.value(keyword.value)
    given: Things = frozenset().union(*positional, *keywords.values())
    dotted = ev.program.tree.dotted(node.func)
    plain = node.func.id if isinstance(node.func, ast.Name) and not dotted else ""
    if plain and ev.program.tree.home(plain, ev.scope) is not None:
        plain = ""
    if plain in PLAIN_CALLS:
        return NOTHING
    if plain in ALL_NAMES and not node.args:
        return frozenset().union(*ev.state.names.values())
    if plain == "getattr":
        return given | {OUTSIDE}
    if plain in ("exec", "eval"):  # its text may give any tensor another name
        ev.state.escaped |= frozenset().union(*ev.state.names.values())
    if plain == "setattr":
        ev.state.escaped |= given
        return NOTHING
    if plain == "sum" and len(node.args) + len(node.keywords) == 1:
        return frozenset((ev.state.make(node),))
    if plain in HOLDERS:
        return given | {ev.state.make(node, "list")}
    if plain in PASSING or dotted in PASSING:
        return given
    if dotted and (op := ops.lookup(dotted)) is not None:
        return _by_table(ev, op, node, positional, keywords)
    if dotted in ("numpy.asarray", "numpy.frombuffer", "numpy.ravel"):
        return given
    if isinstance(node.func, ast.Attribute) and not dotted:
        found = _method(ev, node, positional, keywords, given)
        if found is not None and node.func.attr not in ev.program.functions_named:
            return found
    else:
        found = None
    summary = ev.program.summary(node, ev.scope)
    if summary is not None and summary.later and not isinstance(ev.program.tree.parents.get(node), ast.Await):
        owner = ev.value(node.func.value) if isinstance(node.func, ast.Attribute) else NOTHING
        return given | owner | {ev.state.make(node, "list")}
    starred = next((n for n, argument in enumerate(node.args) if isinstance(argument, ast.Starred)), len(node.args))
    if positional[starred:]:  # `f(*xs)` may give any parameter
        rest = keywords.get("**", NOTHING).union(*positional[starred:])
        positional, keywords = positional[:starred], {**keywords, "**": rest}
    if found is not None:  # a tensor's method, or the file's own
        if summary is None:
            return found
        ev.state.escaped |= _arguments(summary.kept, positional, keywords)
        return found | _arguments(summary.returned, positional, keywords)
    alone = isinstance(ev.program.tree.parents.get(node), ast.Expr)
    unknown = is_unknown(ev.program, node.func, plain, dotted)
    hooked = ev.program.hooks_outputs and path_of(node.func) not in ev.program.functions_named
    if summary is not None:
        kept = _arguments(summary.kept, positional, keywords)
        ev.state.escaped |= kept
        made = frozenset((ev.state.make(node),))
        if hooked:
            ev.state.escaped |= made | given
        return made | _arguments(summary.returned, positional, keywords)
    if alone and (unknown or not dotted) and not ev.program.is_printing(node):
        ev.state.escaped |= given  # it is called for what it does with them
    last = path_of(node.func).rpartition(".")[2]
    if last[:1].isupper() or last in ev.program.tree.classes:  # a constructor: the object keeps what it is given
        return given | ev.state.names.get(path_of(node.func), NOTHING) | {ev.state.make(node, "list")}
    if unknown:  # the result may be what is given, a view of it, or hold it
        itself = NOTHING if dotted or plain else ev.value(node.func)
        return given | itself | {ev.state.make(node, "list")}
    made = frozenset((ev.state.make(node),))
    if hooked and not dotted:
        ev.state.escaped |= made | given
    if not ev.program.holdings.makes_new(node.func):  # what is not known may hand back what it is given
        made |= given
        if path_of(node.func) in ev.program.read_objects:  # `model(x)`, where `model.features` is read as well
            made |= {OUTSIDE}
    return made if node.args or node.keywords or dotted else made | {OUTSIDE}


def _method(
    ev: Evaluator, node: ast.Call, positional: list[Things], keywords: dict[str, Things], given: Things
) -> Things | None:
    assert isinstance(node.func, ast.Attribute)
    name, receiver = node.func.attr, node.func.value
    if path_of(receiver) in ("self", "cls") or (isinstance(receiver, ast.Call) and path_of(receiver.func) == "super"):
        return None
    named = receiver.id if isinstance(receiver, ast.Name) else ""  # and no variable of a comprehension, say
    if named in TYPES and named not in ev.state.names and ev.program.tree.home(named, ev.scope) is None:
        if name in STORING or name.startswith("__"):  # `list.append(xs, h)`, `object.__setattr__(m, "h", h)`
            ev.state.escaped |= given
        return given | {ev.state.make(node, "list")}  # `dict.fromkeys("ab", h)`
    things = ev.value(receiver)
    is_object = any(map(ev.program.is_object, things))  # it may keep what its methods are given: `pool.put(h)`
    if is_object or (name in STORING and (name == "setdefault" or ops.method(name) is None)):
        ev.state.put(things, given)
    if name in TAKING_OUT:
        return things | given
    op = ops.method(name)
    # What stands alone is called for what it does: `xs.add(h)` is no sum.
    alone = isinstance(ev.program.tree.parents.get(node), ast.Expr)
    if op is not None and not (alone and name in STORING):
        if not any(result.tensor for overload in op.overloads for result in overload.results):
            _registered(ev, node, [*positional, *keywords.values()])
        found = _by_table(ev, op, node, [things, *positional], keywords)
        return found | given | things if is_object else found
    if alone and not ev.program.is_printing(node):
        if name not in STORING and not given:
            return NOTHING
        ev.state.put(things, given)
        return NOTHING
    if path_of(receiver) in ev.program.made_by_library:  # `token = variable.set(h)`
        ev.state.escaped |= given
        return given | {ev.state.make(node, "list")}
    return None


def _registered(ev: Evaluator, node: ast.Call, arguments: list[Things]) -> None:
    """`w.register_hook(Hook(h))`: objects and functions that a method is given for later."""
    for things in arguments if not ev.program.is_printing(node) else ():
        if any(thing[0] in ("list", "old list", "code") for thing in things):
            ev.state.escaped |= things


def _by_table(ev: Evaluator, op: Op, node: ast.Call, positional: list[Things], keywords: dict[str, Things]) -> Things:
    found: Things = NOTHING
    makes = False
    for overload in op.overloads:
        names = [parameter.name for parameter in overload.params]
        bound = dict(zip(names, positional, strict=False)) | keywords
        for number, parameter in enumerate(overload.params):
            if parameter.kind == "*":
                bound[parameter.name] = frozenset().union(*positional[number:])
        if op.name == "einsum" and len(node.args) > 2:  # a product; of one operand it is a view
            bound = {}
        for result in overload.results:
            base = bound.get(result.of, NOTHING)
            if result.relation == "new":
                makes = makes or result.tensor
            elif result.many or result.sequence:
                found |= {("split", thing, node) for thing in base}
            else:
                found |= base
                makes = makes or result.relation == "maybe"
        for write in overload.writes:
            target, _, condition = write.partition("?")
            if target != "out" and (not condition or ev.program.may_hold(condition, node)):
                found |= bound.get(target, NOTHING)
    return found | {ev.state.make(node)} if makes else found


def run(ev: Evaluator, method: Function, operands: list[Things]) -> tuple[Things, Things]:
    """What a method keeps, and what it hands back, whose object is the first operand."""
    summary = ev.program.summarise(method, 0)
    return _arguments(summary.kept, operands, {}), _arguments(summary.returned, operands, {}) - {OUTSIDE}


def _arguments(names: dict[str, Place], positional: list[Things], keywords: dict[str, Things]) -> Things:
    """What is given for these parameters; "*" stands for memory from elsewhere."""
    found: Things = NOTHING
    for name, place in names.items():
        if name == "*":
            found |= {OUTSIDE}
        elif place == "**":
            found = found.union(*keywords.values())
        elif isinstance(place, slice):
            found = found.union(keywords.get("**", NOTHING), *positional[place])
        elif name in keywords:
            found |= keywords[name]
        elif place is not None and place < len(positional):
            found |= positional[place]
        else:
            found |= keywords.get("**", NOTHING)
    return found
