"""Put schemas, derivatives and measurements together into the table."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import Any

import torch

from inplace_guard.ops.codec import encode_op
from inplace_guard.ops.generate import (
    attributes,
    catalogue,
    collectives,
    handwritten,
    measured,
    modules,
    native,
    optimizers,
    signatures,
)
from inplace_guard.ops.generate.catalogue import Callable_
from inplace_guard.ops.generate.native import NativeFacts
from inplace_guard.ops.generate.own_samples import GENERIC
from inplace_guard.ops.generate.samples import Given, Samples
from inplace_guard.ops.generate.signatures import Signature
from inplace_guard.ops.model import Op, Overload, Param, Result, Save


class Builder:
    """Builds entries one by one; `not_run` collects the signatures whose facts rest on their schema alone."""

    def __init__(self) -> None:
        functions, self._facts = native.load()
        self._callables = catalogue.load(signatures.load(functions))
        self._samples = Samples()
        self.not_run: list[str] = []

    def names(self) -> list[str]:
        return sorted(self._callables)

    def op(self, dotted: str) -> Op:
        """All overloads of one callable."""
        entry = self._callables[dotted]
        given = self._samples.of(dotted, entry.same_as)
        overloads = [self._native(entry, signature, given) for signature in entry.native]
        overloads += _with_out([self._python(entry, params, given) for params in entry.params])
        if dotted in handwritten.RESULTS:
            overloads = [replace(overload, results=(handwritten.RESULTS[dotted],)) for overload in overloads]
        if dotted in handwritten.NOT_WRITES:
            overloads = [replace(overload, writes=()) for overload in overloads]
        return Op(dotted.rpartition(".")[2], tuple(dict.fromkeys(overloads)))

    def _native(self, entry: Callable_, signature: Signature, given: Given) -> Overload:
        facts = self._facts[signature.native]
        declared = _declared(signature.params, facts)
        if signature.out:
            return declared
        run = functools.partial(measured.overload, entry.function, signature.params, defaults=signature.defaults)
        seen = run(given=given) or run(given=Given([], GENERIC))
        if seen is None:
            if facts.composite:
                self.not_run.append(f"{entry.dotted} {facts.schema}")
            return declared
        if facts.composite or (seen.records and not declared.records):
            return seen  # its saves are those of the ops it calls, or its autograd is written by hand (copy_)
        # native_batch_norm writes its running statistics, whatever its schema says.
        hidden = tuple(write for write in seen.writes if write.partition("?")[0] not in declared.writes)
        return replace(
            declared,
            params=seen.params,
            writes=declared.writes + hidden,
            results=_refined(declared.results, seen.results),
            unversioned=seen.unversioned,
            no_grad=seen.no_grad,
        )

    def _python(self, entry: Callable_, params: tuple[Param, ...], given: Given) -> Overload:
        if any(p.kind.startswith("Tensor") for p in params) or not given.guessed:
            seen = measured.overload(entry.function, params, given, entry.defaults)
            if seen is not None:
                return seen
            self.not_run.append(entry.dotted)
        tensors = tuple(p.name for p in params if p.kind.startswith("Tensor"))
        result = Result() if tensors else Result(differentiable=False, tensor=False)
        return Overload(params=params, results=(result,), differentiable=tensors, records=bool(tensors))


def _refined(declared: tuple[Result, ...], seen: tuple[Result, ...]) -> tuple[Result, ...]:
    """Declared results with what schemas do not say."""
    if not declared[0].tensor and seen[0].tensor:
        return seen  # Python gets the list that an in-place foreach op wrote
    refined = []
    for result, one in zip(declared, seen, strict=False):
        result = replace(result, expanded=one.expanded, dtype=result.dtype or one.dtype)
        if result.relation == "new" and one.relation != "new":
            result = replace(result, relation=one.relation, of=one.of)  # unsafe_split shares memory
        refined.append(result)
    return (*refined, *declared[len(refined) :])


def table(builder: Builder) -> dict[str, Any]:
    """The whole table, ready for JSON."""
    ops = {dotted: encode_op(op) for dotted in builder.names() if (op := builder.op(dotted)).overloads}
    ops |= collectives.table()
    return {
        "torch": torch.__version__.partition("+")[0],
        "ops": ops,
        "attributes": attributes.table(),
        "modules": modules.table(),
        "optimizers": optimizers.table(),
        "writing_methods": " ".join(sorted(_writing_methods(ops))),
    }


def _writing_methods(ops: dict[str, str]) -> set[str]:
    prefix = "torch.Tensor."
    found = set()
    for dotted, text in ops.items():
        if dotted.startswith(prefix) and any(o.split("|")[2].split(",")[0] == "self" for o in text.split(";")):
            found.add(dotted.removeprefix(prefix))
    return found


def _declared(params: tuple[Param, ...], facts: NativeFacts) -> Overload:
    """An overload as the schema and the derivative formulas state it, in Python's parameter names."""
    names = {p.name for p in params}
    mapping = {"self": "input"} if "self" not in names else {}
    results = tuple(_aliased(replace(r, of=mapping.get(r.of, r.of)), facts) for r in facts.results)
    out = "out" in facts.writes
    return Overload(
        params=params,
        results=tuple(replace(r, differentiable=False) for r in results) if out else results,
        writes=native.rename(facts.writes, mapping),
        saves=()
        if out
        else tuple(Save(mapping.get(s.what, s.what), native.rename(s.gates, mapping)) for s in facts.saves),
        differentiable=() if out else native.rename(facts.differentiable, mapping) or _tensors(params, facts),
        records=facts.records and not out,
    )


def _tensors(params: tuple[Param, ...], facts: NativeFacts) -> tuple[str, ...]:
    """Of a composite that has not been run, any tensor may carry a gradient."""
    return tuple(p.name for p in params if p.kind.startswith("Tensor")) if facts.composite else ()


def _aliased(result: Result, facts: NativeFacts) -> Result:
    return replace(result, relation="maybe") if facts.composite and result.relation == "view" else result


def _with_out(overloads: list[Overload]) -> list[Overload]:
    """A Python function with a parameter `out` has a form that writes it, and one without it."""
    found = []
    for overload in overloads:
        if any(p.name == "out" and not p.required for p in overload.params):
            others = tuple(p for p in overload.params if p.name != "out")
            out = Param("out", "Tensor", required=True, kwarg_only=True)
            results = tuple(Result("same", "out", differentiable=False) for _ in overload.results)
            found.append(Overload((*others, out), results, ("out",), records=False))
            overload = replace(overload, params=others)
        found.append(overload)
    return found
