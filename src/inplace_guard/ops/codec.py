"""The text form of an op in the table: one line, read only when somebody looks that op up.

An op is its overloads joined by ";". An overload is seven fields joined by "|": parameters, results, writes, saves,
differentiable parameters, flags, unversioned writes. Items of a field are joined by ",":

- parameter: `name:kind`, with "*" in front if keyword only, "=" behind if optional;
- result: relation, `(argument)` if it has one, then letters: m many, e expanded, n not differentiable, p a Python value,
  and `:dtype`;
- save: `what` or `what<gate+gate`;
- flags: "x" for a call that autograd never records.
"""

from __future__ import annotations

from inplace_guard.ops.model import Op, Overload, Param, Relation, Result, Save

_RELATIONS: dict[str, Relation] = {"n": "new", "v": "view", "s": "same", "m": "maybe"}


def encode_param(param: Param) -> str:
    return f"{'*' if param.kwarg_only else ''}{param.name}:{param.kind}{'' if param.required else '='}"


def decode_param(text: str) -> Param:
    kwarg_only = text[0] == "*"
    required = text[-1] != "="
    name, _, kind = text[kwarg_only : None if required else -1].partition(":")
    return Param(name, kind, required, kwarg_only)


def encode_result(result: Result) -> str:
    text = result.relation[0] + (f"({result.of})" if result.of else "")
    for letter, present in (
        ("m", result.many),
        ("e", result.expanded),
        ("n", not result.differentiable),
        ("p", not result.tensor),
    ):
        text += letter if present else ""
    return text + (f":{result.dtype}" if result.dtype else "")


def decode_result(text: str) -> Result:
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
    )


def encode_save(save: Save) -> str:
    return f"{save.what}<{'+'.join(save.gates)}" if save.gates else save.what


def decode_save(text: str) -> Save:
    what, _, gates = text.partition("<")
    return Save(what, tuple(gates.split("+")) if gates else ())


def encode_overload(overload: Overload) -> str:
    return "|".join(
        (
            ",".join(map(encode_param, overload.params)),
            ",".join(map(encode_result, overload.results)),
            ",".join(overload.writes),
            ",".join(map(encode_save, overload.saves)),
            ",".join(overload.differentiable),
            "" if overload.records else "x",
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
    )


def encode_op(op: Op) -> str:
    return ";".join(map(encode_overload, op.overloads))


def decode_op(name: str, text: str) -> Op:
    return Op(name, tuple(map(decode_overload, text.split(";"))))


def _items(field: str) -> tuple[str, ...]:
    return tuple(field.split(",")) if field else ()
