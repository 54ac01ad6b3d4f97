"""Lists, tuples, dicts: items, iteration, unpacking and methods."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from inplace_guard.analysis import attributes, calls, expressions, generators, graph_rules, picking, records, writes
from inplace_guard.analysis.values import (
    MULTI,
    NO,
    NUMBER,
    PLAIN,
    UNKNOWN,
    VIEW,
    YES,
    Array,
    Class,
    Const,
    Dict,
    Either,
    Func,
    Lazy,
    Module,
    Name,
    Number,
    Obj,
    Partial,
    Seq,
    Tensor,
    Value,
)

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter

MOST_ITEMS = 4  # how many rounds of a loop over a known sequence are run
MOST_CONSTANTS = 10  # the same, where the items are constants or modules
MOST_KEPT = 24  # how many items of a list are told apart


def kept(it: Interpreter, value: Value) -> Value:
    """The value as a name or container keeps it: stamped with the time."""
    if isinstance(value, Tensor):
        stamp = it.stamp(value)
        if value.origin == "grad":
            return value.but(stamp=stamp, origin="kept gradient")
        alias = value.detached or value.origin == "hooked"  # an alias of an alias is as old as that
        if stamp != value.stamp and not (value.stamp and alias):
            return value.but(stamp=stamp)
    return value


def item(it: Interpreter, base: Value, index: Value, node: ast.AST) -> Value:
    """`base[index]`."""
    if isinstance(base, Tensor):
        return tensor_item(it, base, index, node)
    if isinstance(base, Seq):
        return picking.seq_item(it, base, index)
    if isinstance(base, Dict):
        entries = it.entries(base)
        if isinstance(index, Const) and expressions.hashable(index.value) and index.value in entries:
            return entries[index.value]
        if "*" in entries and isinstance(index, Const) and expressions.hashable(index.value):
            return picking.separate(it, base, index.value)
        if "*" in entries:
            return picking.one_of(it, (entries["*"],))
        factory = it.heap.get((base.oid, "factory"))  # of a defaultdict
        if factory is not None:
            store_item(it, base, index, made := calls.call_value(it, factory, [], {}, node), node)
            return made
        return UNKNOWN if isinstance(index, Const) else picking.one_of(it, list(entries.values()))
    if isinstance(base, Array):
        return base if basic_index(it, index) else Array(frozenset((it.new_id(),)))
    if isinstance(base, Either):
        return picking.join_all(it, [item(it, option, index, node) for option in base.options])
    if isinstance(base, Obj):
        chain = it.heap.get((base.oid, "__base__"))
        if isinstance(chain, Seq):
            return picking.seq_item(it, chain, index)
        if base.cls.is_record:
            return records.item(it, base, index)
        found = base.cls.method("__getitem__")
        if found is not None:
            return calls.call_function(it, Func(found[0], found[1].frame, base, found[1]), [index], {}, node)
    if isinstance(base, Name):
        return base
    if isinstance(base, Const) and isinstance(base.value, str) and isinstance(index, Const):
        try:
            return Const(base.value[index.value])
        except (IndexError, TypeError):
            return UNKNOWN
    return UNKNOWN


def basic_index(it: Interpreter, index: Value) -> bool:
    """Numbers, slices, None, Ellipsis and integer scalars give a view; other tensors and lists a copy."""
    if isinstance(index, Tensor):
        return index.origin == "scalar"
    if isinstance(index, Const | Number):
        return not (isinstance(index, Const) and isinstance(index.value, str))
    if isinstance(index, Seq) and index.kind == "tuple":
        return all(basic_index(it, part) for part in it.items(index))
    return False


def tensor_item(it: Interpreter, t: Tensor, index: Value, node: ast.AST) -> Value:
    sure = it.sure(t)
    if not sure and isinstance(index, Const) and isinstance(index.value, str | int):
        return attributes.member(it, t, index.value)
    if not sure and not (isinstance(index, Seq) and index.kind == "tuple"):
        # An item of something unknown: in a list of tensors, memory of its own.
        made = it.tensor(min(it.req(t), 1), it.nodes(t), sure=False, origin=t.origin)
        if it.optional(t):
            it.mark_optional(made)
        return made
    if sure or isinstance(index, Seq):
        it.believe(t)
    req = it.req(t) if it.heap["grad"] else NO
    nodes = (it.record("__getitem__", it.place(node), [t], req),) if req else ()
    if basic_index(it, index):
        detached = t.detached or (not nodes and it.req(t) > NO)
        leaf = bool(nodes) and (t.leaf_view or it.leaf(t))
        region = index if t.view == PLAIN else None
        blind = MULTI if not it.heap["grad"] and it.req(t) == YES else VIEW
        return t.but(
            origin="strided" if picking.strided(it, index) and "grad" not in t.origin else t.origin,
            req=req,
            nodes=nodes,
            view=max(t.view, blind),
            leaf_view=leaf,
            detached=detached,
            sure=True,
            region=region,
            shadow=t.shadow or (it.nodes(t) if blind == MULTI else ()),
        )
    if nodes:
        indices = it.items(index) if isinstance(index, Seq) else (index,)
        it.keep(nodes[0], [(i, "index", "op", req) for i in indices if isinstance(i, Tensor) and i.kind == "int"])
    return it.tensor(req, nodes, kind=t.kind, cut=t.cut)


def store_item(
    it: Interpreter, base: Value, index: Value, value: Value, node: ast.AST, augmented: Value | None = None
) -> None:
    """`base[index] = value`; for `base[index] += v`, `augmented` is v."""
    if isinstance(base, Tensor) and isinstance(index, Const) and isinstance(index.value, str):
        if len(base.mem) == 1:  # a dict of some kind after all
            it.heap["member", min(base.mem), index.value] = value
    elif isinstance(base, Tensor) and base.mem and all(("container", m) in it.heap for m in base.mem):
        pass
    elif isinstance(base, Tensor):
        if augmented is None or not basic_index(it, index) or not it.sure(base):
            writes.write_item(it, base, index, value, node)
        if augmented is not None:
            from inplace_guard.analysis import graph_rules

            graph_rules.repeated_index(it, base, index, augmented, it.place(node))
    elif isinstance(base, Seq):
        picking.store_in_seq(it, base, index, kept(it, value))
    elif isinstance(base, Dict):
        entries = dict(it.entries(base))
        if isinstance(index, Const) and expressions.hashable(index.value):
            entries[index.value] = kept(it, value)
        else:
            entries["*"] = expressions.join_values(it, entries["*"], value) if "*" in entries else value
        it.heap[base.oid, "{}"] = entries
    elif isinstance(base, Array):
        writes.write_array(it, base, "__setitem__", node)
    elif isinstance(base, Obj):
        found = base.cls.method("__setitem__")
        if found is not None:
            calls.call_function(it, Func(found[0], found[1].frame, base, found[1]), [index, value], {}, node)


def remove(it: Interpreter, base: Value, index: Value) -> None:
    """`del base[index]`."""
    if isinstance(base, Seq) and isinstance(index, Const):
        items = list(it.items(base))
        try:
            del items[index.value]
        except (IndexError, TypeError):
            return
        it.heap[base.oid, "[]"] = tuple(items)
    elif isinstance(base, Dict) and isinstance(index, Const):
        it.heap[base.oid, "{}"] = {k: v for k, v in it.entries(base).items() if k != index.value}


def lazily(it: Interpreter, value: Value, node: ast.AST) -> Value:
    """What iterating over an instance of a class of this file runs, if that is a generator."""
    if isinstance(value, Obj):
        found = value.cls.method("__iter__")
        if found is not None and found[1].scope.is_generator(found[0]):
            return calls.call_function(it, Func(found[0], found[1].frame, value, found[1]), [], {}, node)
    return value


def is_steady(it: Interpreter, item: Value, depth: int = 4) -> bool:
    """Constants, functions, modules, pairs with one: `for name, module in net.named_modules()` looks at each."""
    if isinstance(item, Seq):
        return depth > 0 and all(isinstance(part, Number) or is_steady(it, part, depth - 1) for part in it.items(item))
    return isinstance(item, Const | Module | Obj | Func | Class | Partial)


def iterate(it: Interpreter, value: Value, node: ast.AST, at_least: int = 0) -> tuple[list[Value], bool]:
    """The items of an iterable to run through, and whether there may be others."""
    if isinstance(value, Seq):
        items = list(it.items(value))
        open_end = bool(it.heap.get((value.oid, "open")))
        if len(items) > 1 and value.kind == "list":
            graph_rules.same_each_time(it, items)
        most = MOST_CONSTANTS if all(is_steady(it, item) for item in items) else MOST_ITEMS
        if at_least and len(items) > most:
            return picking.fewer(it, items, MOST_ITEMS), open_end
        if at_least and open_end and len(items) == 1 and not it.tensors(items[0]):
            return items * 2, True
        return items, open_end
    if isinstance(value, Lazy):
        return iterate(it, generators.force(it, value), node, at_least)
    if isinstance(value, Const) and isinstance(value.value, str):
        return [Const(letter) for letter in value.value[:MOST_CONSTANTS]], len(value.value) > MOST_CONSTANTS
    if isinstance(value, Dict):
        known = [key for key in it.entries(value) if key != "*"][:MOST_KEPT]
        keys: list[Value] = [Const(key) for key in known]
        return (keys or [NUMBER, NUMBER]), "*" in it.entries(value)
    if isinstance(value, Tensor):
        return [*elements(it, value, 2, node)], True
    if isinstance(value, Array):
        return [Array(value.mem, value.how), Array(value.mem, value.how)], True
    if isinstance(value, Either):
        return iterate(it, value.options[0], node, at_least)
    if isinstance(value, Number):
        return [NUMBER, NUMBER], True
    if isinstance(value, Obj) and isinstance(base := it.heap.get((value.oid, "__base__")), Seq):
        return iterate(it, base, node, at_least)  # class Trunk(nn.Sequential)
    if isinstance(value, Obj) and value.cls.is_namedtuple:
        return records.items(it, value), False
    if isinstance(value, Obj):
        found = value.cls.method("__iter__")
        if found is not None:
            made = calls.call_function(it, Func(found[0], found[1].frame, value, found[1]), [], {}, node)
            if isinstance(made, Seq | Tensor | Dict | Lazy):
                return iterate(it, made, node, at_least)
        found = value.cls.method("__getitem__")
        if found is not None:
            method = Func(found[0], found[1].frame, value, found[1])
            return [calls.call_function(it, method, [NUMBER], {}, node) for _ in range(2)], True
    # A loader of batches, most likely: data, of which nothing requires grad.
    return [it.tensor(NO, sure=False, origin="item") for _ in range(2)], True


def elements(it: Interpreter, t: Tensor, count: int, node: ast.AST) -> list[Value]:
    """The rows of a tensor (views made by one unbind), or the items of something unknown."""
    req = it.req(t) if it.heap["grad"] else NO
    if not it.sure(t):
        return [it.tensor(min(req, 1), it.nodes(t), sure=False, origin=t.origin) for _ in range(count)]
    nodes = (it.record("unbind", it.place(node), [t], req),) if req else ()
    view = MULTI if nodes or t.view == MULTI else VIEW
    detached = t.detached or (not nodes and it.req(t) > NO)
    if t.kind == "int":  # the items of a list of indices, say
        return [t.but(view=view, sure=True, origin="scalar") for _ in range(count)]
    return [t.but(req=req, nodes=nodes, view=view, detached=detached, sure=True) for _ in range(count)]


def bind(it: Interpreter, target: ast.expr, value: Value, node: ast.AST | None = None) -> None:
    """Assign to a target of any form."""
    if isinstance(target, ast.Name):
        frame = it.scope.owner(it.frame, target.id)
        frame.locals[target.id] = value
    elif isinstance(target, ast.Tuple | ast.List):
        unpack(it, target.elts, value, node or target)
    elif isinstance(target, ast.Attribute):
        attributes.store(it, it.eval(target.value), target.attr, value, node or target)
    elif isinstance(target, ast.Subscript):
        store_item(it, it.eval(target.value), it.eval(target.slice), value, node or target)
    elif isinstance(target, ast.Starred):
        bind(it, target.value, value, node)


def unpack(it: Interpreter, targets: list[ast.expr], value: Value, node: ast.AST) -> None:
    count = len(targets)
    if isinstance(value, Lazy):
        value = generators.force(it, value)
    starred = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if isinstance(value, Tensor):
        items = elements(it, value, count, node)
    elif isinstance(value, Seq):
        items = list(it.items(value))
        if items and len(items) < count:
            items += [items[-1]] * (count - len(items))
    elif isinstance(value, Array):
        items = [Array(value.mem, value.how)] * count
    elif isinstance(value, Obj) and value.cls.is_namedtuple:
        items = iterate(it, value, node)[0]
    elif isinstance(value, Either) and all(isinstance(o, Seq) for o in value.options):
        rows = [it.items(o) for o in value.options if isinstance(o, Seq)]
        items = [picking.join_all(it, [row[i] for row in rows if i < len(row)]) for i in range(count)]
    else:
        items = []
    items += [UNKNOWN] * (count - len(items))
    if starred is None:
        pairs = list(zip(targets, items, strict=False))
    else:
        after = count - starred - 1
        middle = it.seq(items[starred : len(items) - after], "list")
        head = list(zip(targets[:starred], items[:starred], strict=False))
        tail = list(zip(targets[starred + 1 :], items[len(items) - after :], strict=False)) if after else []
        pairs = [*head, (targets[starred], middle), *tail]
    for target, each in pairs:
        bind(it, target, each, node)


def extend(it: Interpreter, seq: Seq, items: list[Value], open_end: bool = False) -> None:
    known = it.items(seq)
    if len(known) + len(items) > MOST_KEPT:
        it.heap[seq.oid, "open"] = True
        known = known[-MOST_KEPT // 2 :]
    it.heap[seq.oid, "[]"] = known + tuple(items)
    if open_end:
        it.heap[seq.oid, "open"] = True


def concat(it: Interpreter, left: Seq, right: Value) -> Value:
    items, open_end = iterate(it, right, ast.Pass()) if isinstance(right, Seq) else ([], True)
    return it.seq([*it.items(left), *items], left.kind, open_end or bool(it.heap.get((left.oid, "open"))))


def repeat(it: Interpreter, seq: Seq, count: Value) -> Value:
    """`[x] * n`: n times the same object."""
    times = count.value if isinstance(count, Const) and isinstance(count.value, int) else 2
    items = it.items(seq) * max(0, min(times, 3))
    return it.seq(items, seq.kind, open_end=not isinstance(count, Const) or times > 3)


def not_a_tensor(it: Interpreter, kinds: ast.expr) -> Value:
    """What an isinstance test against something else leaves."""
    names = {part.id for part in ast.walk(kinds) if isinstance(part, ast.Name)}
    return NUMBER if names & {"int", "float", "str", "bool"} else UNKNOWN


def merge(it: Interpreter, owner: Dict, other: Value) -> Dict:
    """`owner.update(other)`, `owner |= other`: the dict itself, with what the other one has."""
    given = it.entries(other) if isinstance(other, Dict) else {"*": UNKNOWN}
    it.heap[owner.oid, "{}"] = {**it.entries(owner), **given}
    return owner


def new_leaf(it: Interpreter, t: Tensor, target: ast.expr | None = None) -> Tensor:
    """`v.requires_grad_()` of what was detached: a leaf of its own, under all its names, and not its source."""
    leaf = t.but(req=YES)
    for name, value in it.frame.locals.items():
        if value is t:
            it.frame.locals[name] = leaf
    if isinstance(target, ast.Attribute):
        bind(it, target, leaf)
    return leaf
