"""Modules of torch.nn: making them, calling them, and the methods that every module has."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from inplace_guard import ops
from inplace_guard.analysis import calls, containers, graph_rules, module_methods, suspicion
from inplace_guard.analysis.machine import Kept
from inplace_guard.analysis.tape import Hazard, Mem, Node
from inplace_guard.analysis.torch_ops import effective_req
from inplace_guard.analysis.values import (
    FALSE,
    MAYBE,
    MULTI,
    NO,
    NUMBER,
    TRUE,
    UNKNOWN,
    VIEW,
    YES,
    Const,
    Dict,
    Module,
    Obj,
    Seq,
    Tensor,
    Value,
)
from inplace_guard.ops.model import ModuleFacts, Save

if TYPE_CHECKING:
    from inplace_guard.analysis.interpreter import Interpreter


def unseen_parameter(it: Interpreter, owner: Value) -> Tensor | None:
    """One tensor for all parameters of a module that cannot be seen."""
    if isinstance(owner, Module):
        weight = it.heap.get((owner.oid, "weight"))
        return weight if isinstance(weight, Tensor) else None
    if isinstance(owner, Obj):
        return own_parameters(it, owner)
    if not isinstance(owner, Tensor) or not owner.mem:
        return None
    cell = ("parameter", min(owner.mem))
    if cell not in it.heap:
        it.heap[cell] = parameter(it)
    found = it.heap[cell]
    return found if isinstance(found, Tensor) else None


def own_parameters(it: Interpreter, owner: Obj) -> Tensor | None:
    """One tensor for all parameters of an instance of a module class that can be seen."""
    cell = ("parameters", owner.oid)
    if cell not in it.heap:
        it.heap[cell] = module_methods.merged(it, module_methods.parts(it, owner)[1])
    found = it.heap[cell][0] if it.heap[cell] else None
    return found if isinstance(found, Tensor) and it.req(found) else None


def unseen_state(it: Interpreter, weights: Tensor, args: list[Value]) -> Value:
    """`state_dict()` of a module that cannot be seen; with arguments, `load_state_dict(…)`."""
    for t in it.tensors(*args):
        graph_rules.stale_snapshot(it, t, [weights])
    kept = weights.but(detached=True, stamp=it.stamp(weights), origin="snapshot")
    return UNKNOWN if args else it.dict_({"*": kept})


Handler = Callable[["Interpreter", Value, list[Value], dict[str, Value], ast.AST], Value]


def parameter(it: Interpreter, mem: frozenset[int] | None = None) -> Tensor:
    """A leaf that requires grad; `requires_grad_(False)` can take that back."""
    mem = mem or frozenset((it.new_id(),))
    for m in mem:
        old = it.mem(m)
        it.heap[m] = Mem(old.saves, (), YES, True, old.writes, old.last)
    return Tensor(mem, origin="param")


def make(it: Interpreter, dotted: str, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """`torch.nn.X(...)`."""
    name = dotted.rpartition(".")[2]
    if name == "Sequential":
        if len(args) == 1 and isinstance(args[0], Dict):
            return it.seq(it.entries(args[0]).values(), "sequential")
        if len(args) == 1 and isinstance(args[0], Seq) and args[0].kind == "list":  # OrderedDict([(name, module)])
            pairs = [it.items(p)[-1] for p in it.items(args[0]) if isinstance(p, Seq) and it.items(p)]
            return it.seq(pairs, "sequential")
        return it.seq(args, "sequential")
    if name in ("ModuleList", "ParameterList"):
        items, open_end = containers.iterate(it, args[0], node) if args else ([], False)
        return it.seq(items, "modulelist", open_end)
    if name in ("ModuleDict", "ParameterDict"):
        return it.dict_(dict(it.entries(args[0])) if args and isinstance(args[0], Dict) else {}, "moduledict")
    if name in ("Parameter", "UninitializedParameter"):
        flag = kwargs.get("requires_grad", args[1] if len(args) > 1 else TRUE)
        source = args[0] if args else UNKNOWN
        if isinstance(flag, Const) and not flag.value:
            return it.tensor(NO, origin="param")
        if not isinstance(source, Tensor) or it.nodes(source) or len(source.mem) != 1 or source.detached:
            made = parameter(it)
            if isinstance(source, Tensor):
                it.heap["made of", min(made.mem)] = source.mem
            return made
        if source.origin != "param" and it.sure(source):  # a second parameter on this memory?
            owned = "owned", min(source.mem)
            it.heap[owned] = owned in it.heap
        return parameter(it, source.mem)
    if name == "DataParallel" and args:
        return args[0]
    facts = ops.module(dotted)
    inplace = kwargs.get("inplace", UNKNOWN)
    if facts is not None and facts.inplace and "inplace" not in kwargs and 0 <= facts.inplace_index < len(args):
        inplace = args[facts.inplace_index]
    module = Module(it.new_id(), name, facts, isinstance(inplace, Const) and inplace.value is True, it.place(node))
    if name.endswith("Dropout") or name.startswith("Dropout"):
        rate = args[0] if args else kwargs.get("p")
        if isinstance(rate, Const) and not isinstance(rate.value, bool) and rate.value == 0:
            it.heap[module.oid, "training"] = FALSE  # with p=0 it hands on its input, like in eval mode
    if isinstance(limit := kwargs.get("max_norm"), Const) and limit.value is not None:
        it.heap[module.oid, "renorm"] = TRUE
    if facts is None or facts.has_params:
        it.heap[module.oid, "weight"] = parameter(it)
        bias = kwargs.get("bias")
        unbiased = name.startswith("Embedding") or name == "PReLU"
        if not unbiased and not (isinstance(bias, Const) and bias.value is False):
            it.heap[module.oid, "bias"] = parameter(it)
    if facts is not None and facts.writes_buffers:
        it.heap[module.oid, "running_mean"] = it.tensor(NO, origin="buffer")
    return module


def from_pretrained(it: Interpreter, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    """nn.Embedding.from_pretrained(vectors): its weight is a parameter on the memory of `vectors`."""
    freeze = kwargs.get("freeze", args[1] if len(args) > 1 else TRUE)
    module = make(it, "torch.nn.Embedding", [], {}, node)
    if isinstance(module, Module) and isinstance(freeze, Const):
        weight = make(it, "torch.nn.Parameter", args[:1], {"requires_grad": Const(not freeze.value)}, node)
        it.heap[module.oid, "weight"] = weight
    return module


def unseen(it: Interpreter) -> Module:
    """A module of which only the annotation is known."""
    module = Module(it.new_id(), "module", None)
    it.heap[module.oid, "weight"] = parameter(it)
    return module


def attribute(it: Interpreter, module: Module, name: str) -> Value:
    # One tensor stands for both running statistics, and one for all weights (weight_ih_l0, …).
    weights = module.facts is not None and module.facts.has_params and name.startswith("weight")
    stand_in = "running_mean" if name == "running_var" else "weight" if weights else name
    value: Value | None = it.heap.get((module.oid, name)) or it.heap.get((module.oid, stand_in))
    if value is not None:
        return value
    if name == "training":
        return TRUE
    if name == "inplace":
        return Const(module.inplace)
    if weights or name == "running_var":
        return UNKNOWN
    if module.facts is None:
        value = it.heap[module.oid, name] = it.tensor(1, sure=False, origin="attribute")
        return value
    return NUMBER


def training(it: Interpreter, value: Value) -> bool:
    flag = it.heap.get((getattr(value, "oid", 0), "training"), TRUE)
    return not (isinstance(flag, Const) and flag.value is False)


def call(it: Interpreter, callee: Value, args: list[Value], kwargs: dict[str, Value], node: ast.AST) -> Value:
    if isinstance(callee, Seq):
        args = module_methods.run_pre_hooks(it, callee, args, node)
        value: Value = args[0] if args else UNKNOWN
        outer, it.chain = it.chain, True
        for module in it.items(callee):
            value = calls.call_value(it, module, [value], {}, node)
        it.chain = outer
        return module_methods.run_hooks(it, callee, args, value, node)
    assert isinstance(callee, Module)
    if callee.facts is None:
        label = "" if callee.label == "module" else callee.label
        return calls.opaque(it, callee, args, kwargs, node, saves=True, label=label)
    args = module_methods.run_pre_hooks(it, callee, args, node)
    result = run(it, callee, callee.facts, args, kwargs, node)
    return module_methods.run_hooks(it, callee, args, result, node)


def run(
    it: Interpreter, module: Module, facts: ModuleFacts, args: list[Value], kwargs: dict[str, Value], node: ast.AST
) -> Value:
    place = it.place(node)
    values = [*args, *kwargs.values()]
    inputs = it.tensors(*values)
    for t in values:
        if isinstance(t, Tensor):
            it.believe(t)
    weights = [v for k in ("weight", "bias") if isinstance(v := it.heap.get((module.oid, k)), Tensor)]
    params = max((it.req(t) for t in weights), default=NO)
    given = max((effective_req(it, t) for t in inputs), default=NO)
    grad = bool(it.heap["grad"])
    req = max(params, given) if grad else NO
    is_training = training(it, module)
    first = next((v for v in values if isinstance(v, Tensor)), None)
    hooked = (module.oid, "backward_hooks") in it.heap
    if hooked and first is not None and given and grad:
        first = first.but(view=MULTI)  # a full backward hook hands the module a view of its input
    dropped = facts.name.startswith(("Dropout", "FeatureAlphaDropout", "AlphaDropout")) and not is_training
    inplace = module.inplace and first is not None and not dropped
    if inplace and first is not None:
        # In a chain the call has no line of its own: the write is told at the line that made the module.
        where = module.made if it.chain and module.made is not None else place
        it.write(first, facts.name, where, label=f"{facts.name}(inplace=True)", layer=True)
    if (module.oid, "renorm") in it.heap and weights:
        it.write(weights[0], facts.name, place, "no_grad", label=f"{facts.name}(max_norm=…)")
    recorded = it.record(facts.name, place, inputs, req) if req else None
    for t in inputs if it.watched and recorded is None and not inplace else ():
        suspicion.read(it, t)
    cut = "no_grad" if not grad and max(params, given) == YES else ""
    result: Value
    if inplace and first is not None:
        if recorded is not None:
            it.rebase(first, recorded, req)
        result = first.but(nodes=(recorded,) if recorded is not None else first.nodes, req=max(req, first.req))
    elif (facts.returns in ("maybe", "view", "same") or dropped) and first is not None:
        nodes = (recorded,) if recorded is not None else ()
        mem = (
            first.mem
            if facts.returns == "view" or facts.name in ("Identity", "Flatten") or dropped
            else (first.mem | {it.new_id()} if facts.returns == "maybe" else first.mem)
        )
        if dropped or facts.name == "Identity":
            result = first
        elif facts.name.startswith(("Dropout", "FeatureAlphaDropout", "AlphaDropout")):
            result = it.tensor(req, nodes, cut=cut)
        else:
            result = Tensor(
                mem, req, nodes, view=max(first.view, VIEW), bypass=first.bypass, detached=not nodes, cut=cut
            )
    else:
        result = outputs(it, facts, recorded, req, cut)
    if hooked and recorded is not None and isinstance(result, Tensor):
        result = result.but(view=MULTI)
    if facts.writes_buffers and is_training:
        buffers = it.heap.get((module.oid, "running_mean"))
        if isinstance(buffers, Tensor):
            how = "no_grad" if facts.versioned else "unversioned"
            write = it.write(buffers, facts.name, place, how, label=f"{facts.name} (running statistics)")
            if it.heap["hooks"] == "checkpoint" and recorded is not None:
                it.report(Hazard("IPG209", write, None, ("recomputation", place), certain=False, text="buffers"))
    if recorded is not None:
        saves = facts.inplace_saves if inplace else facts.saves
        keep(it, module, recorded, saves, inputs, args, weights, result, params, given, is_training)
    return result


def outputs(it: Interpreter, facts: ModuleFacts, recorded: Node | None, req: int, cut: str) -> Value:
    nodes = (recorded,) if recorded is not None else ()
    if facts.results == 1:
        return it.tensor(req, nodes, cut=cut)
    if facts.results == 0:  # LSTM: output, (h, c); GRU: output, h
        state: Value = it.tensor(req, nodes, cut=cut)
        if facts.name == "LSTM":
            state = it.seq([state, it.tensor(req, nodes, cut=cut)], "tuple")
        return it.seq([it.tensor(req, nodes, cut=cut), state], "tuple")
    return it.seq([it.tensor(req, nodes, cut=cut) for _ in range(facts.results)], "tuple")


def keep(
    it: Interpreter,
    module: Module,
    recorded: Node,
    saves: tuple[Save, ...],
    inputs: list[Tensor],
    args: list[Value],
    weights: list[Tensor],
    result: Value,
    params: int,
    given: int,
    is_training: bool,
) -> None:
    kept: list[Kept] = []
    for save in saves:
        if (save.when == "training" and not is_training) or (save.when == "!training" and is_training):
            continue
        req = recorded.req if save.when in ("", "~", "training", "!training") else min(recorded.req, MAYBE)
        if "params" in save.gates:
            req = params
        elif save.gates:
            req = given
        if not req:
            continue
        if save.what == "params":
            kept += [(t.but(view=VIEW) if module.label == "Linear" else t, "weight", "op", req) for t in weights[:1]]
        elif save.what == "buffers":
            buffers = it.heap.get((module.oid, "running_mean"))
            if isinstance(buffers, Tensor) and not (is_training and it.heap["hooks"]):
                # In training their values are not read again, but their version is checked.
                kept.append((buffers, "running_mean", "version" if is_training else "op", req))
        elif save.what.startswith("input"):
            number = save.what[5:]
            chosen = (
                it.tensors(args[int(number)]) if number and int(number) < len(args) else inputs if not number else []
            )
            kept += [(t, "input", "op", req) for t in chosen]
        elif save.what.startswith("result"):
            number = save.what[6:]
            items = it.tensors(result)
            chosen = items[int(number) : int(number) + 1] if number else items
            kept += [(t, "result", "op", req) for t in chosen]
    it.keep(recorded, kept)
