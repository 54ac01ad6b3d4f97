"""The text form of an op in the table: one line, read only when somebody looks that op up.

An op is its overloads joined by ";". An overload is seven fields joined by "|": parameters, results, writes, saves,
differentiable parameters, flags, unversioned writes. Items of a field are joined by ",":

- parameter: `name:kind`, with "*" in front if keyword only, "=" and perhaps its default behind if optional;
- result: relation, `(argument)` if it has one, then letters: m many, e expanded, n not differentiable,
  p a Python value, s sequence, then `:dtype` and `?condition`;
- save: `what`, `<gate+gate` if gated, `?condition`;
- flags: "x" for a call that autograd never records, "g" for writes under no_grad.

A module is seven fields: saves, flags, index of `inplace`, relation and number of results, saves when in place,
condition of writes to its parameters, condition of the relation. An optimizer is its flags.
"""

from __future__ import annotations

from inplace_guard.ops.model import ModuleFacts, Op, OptimizerFacts, Overload, Param, Relation, Result, Save

_RELATIONS: dict[str, Relation] = {"n": "new", "v": "view", "s": "same", "m": "maybe"}


def encode_param(param: Param) -> str:
    optional = "" if param.required else f"={param.default}"
    return f"{'*' if param.kwarg_only else ''}{param.name}:{param.kind}{optional}"


def decode_param(text: str) -> Param:
    kwarg_only = text[0] == "*"
    head, optional, default = text[kwarg_only:].partition("=")
    name, _, kind = head.partition(":")
    return Param(name, kind, not optional, kwarg_only, default)


def encode_result(result: Result) -> str:
    text = result.relation[0] + (f"({result.of})" if result.of else "")
    for letter, present in (
        ("m", result.many),
        ("e", result.expanded),
        ("n", not result.differentiable),
        ("p", not result.tensor),
        ("s", result.sequence),
    ):
        text += letter if present else ""
    return text + (f":{result.dtype}" if result.dtype else "") + (f"?{result.when}" if result.when else "")


def decode_result(text: str) -> Result:
    text, _, when = text.partition("?")
    head, _, dtype = text.partition(":")
    relation, of, letters = head[0], "", head[1:]
    if letters[:1] == "(":
        of, _, letters = letters[1:].partition(")")
    return Result(
        relation=_RELATIONS[relation],
        of=of,
        many="m" in letters,
        expanded="e" in letters,
        differentiable="n" not in letters,
        dtype=dtype,
        tensor="p" not in letters,
        sequence="s" in letters,
        when=when,
    )


def encode_save(save: Save) -> str:
    gates = f"<{'+'.join(save.gates)}" if save.gates else ""
    return save.what + gates + (f"?{save.when}" if save.when else "")


def decode_save(text: str) -> Save:
    head, _, when = text.partition("?")
    what, _, gates = head.partition("<")
    return Save(what, tuple(gates.split("+")) if gates else (), when)


def encode_overload(overload: Overload) -> str:
    return "|".join(
        (
            ",".join(map(encode_param, overload.params)),
            ",".join(map(encode_result, overload.results)),
            ",".join(overload.writes),
            ",".join(map(encode_save, overload.saves)),
            ",".join(overload.differentiable),
            ("" if overload.records else "x") + ("g" if overload.no_grad else ""),
            ",".join(overload.unversioned),
        )
    )


def decode_overload(text: str) -> Overload:
    params, results, writes, saves, differentiable, flags, unversioned = text.split("|")
    return Overload(
        params=tuple(map(decode_param, _items(params))),
        results=tuple(map(decode_result, _items(results))),
        writes=_items(writes),
        saves=tuple(map(decode_save, _items(saves))),
        differentiable=_items(differentiable),
        records="x" not in flags,
        unversioned=_items(unversioned),
        no_grad="g" in flags,
    )


def encode_op(op: Op) -> str:
    return ";".join(map(encode_overload, op.overloads))


def decode_op(name: str, text: str) -> Op:
    return Op(name, tuple(map(decode_overload, text.split(";"))))


_MODULE_FLAGS = (
    ("p", "has_params"),
    ("i", "inplace"),
    ("b", "writes_buffers"),
    ("v", "versioned"),
    ("e", "expanded"),
)
_OPTIMIZER_FLAGS = (("v", "versioned"), ("f", "fused"), ("w", "fused_versioned"))


def encode_module(facts: ModuleFacts) -> str:
    return "|".join(
        (
            ",".join(map(encode_save, facts.saves)),
            "".join(letter for letter, name in _MODULE_FLAGS if getattr(facts, name)),
            str(facts.inplace_index),
            f"{facts.returns[0]}{facts.results}",
            ",".join(map(encode_save, facts.inplace_saves)),
            facts.writes_params,
            facts.returns_when,
        )
    )


def decode_module(name: str, text: str) -> ModuleFacts:
    saves, flags, index, result, inplace_saves, writes_params, returns_when = text.split("|")
    return ModuleFacts(
        name=name,
        saves=tuple(map(decode_save, _items(saves))),
        inplace_index=int(index),
        returns=_RELATIONS[result[0]],
        results=int(result[1:]),
        inplace_saves=tuple(map(decode_save, _items(inplace_saves))),
        writes_params=writes_params,
        returns_when=returns_when,
        **{field: letter in flags for letter, field in _MODULE_FLAGS},
    )


def encode_optimizer(facts: OptimizerFacts) -> str:
    return "".join(letter for letter, name in _OPTIMIZER_FLAGS if getattr(facts, name))


def decode_optimizer(name: str, text: str) -> OptimizerFacts:
    return OptimizerFacts(name, **{field: letter in text for letter, field in _OPTIMIZER_FLAGS})


def _items(field: str) -> tuple[str, ...]:
    return tuple(field.split(",")) if field else ()
