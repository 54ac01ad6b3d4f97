"""Fixes that may stand elsewhere than the write: tried one after the other, until checking finds less than before."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator, Iterator

from inplace_guard.fixes import again, carried, copies, grad_mode, moves, own_functions, repeated, saves
from inplace_guard.fixes.context import Context, Proposal

__all__ = ["MEANT", "SEEN", "first", "kept"]

_Kind = Callable[[Context, ast.AST], Iterator[Proposal]]

_MOST = 40  # candidates for one finding
_LINES = 60_000  # that are analysed for one finding
_ELSEWHERE: tuple[_Kind, ...] = (copies.at_binding, moves.backward_early, saves.at_save)
_STEPS: tuple[_Kind, ...] = (moves.backward_first, moves.one_step)
# Where the write is right, and something else was meant to be a copy: tried before the write is changed.
MEANT: dict[str, tuple[_Kind, ...]] = {"IPG207": (copies.of_swapped, copies.of_lookalikes)}
# Where others hold the written tensor too: the write stays, and what was saved is a copy.
SEEN: dict[str, tuple[_Kind, ...]] = {
    "IPG101": (saves.of_saved,),
    "IPG102": (saves.of_saved,),
    "IPG106": (copies.at_binding,),
    "IPG201": (saves.recorded,),
    "IPG205": (own_functions.marked,),
}
_KINDS: dict[str, tuple[_Kind, ...]] = {
    "IPG101": (
        own_functions.unmarked,
        own_functions.returned,
        own_functions.bound_early,
        copies.of_statistics,
        *_ELSEWHERE,
        again.redone,
    ),
    "IPG102": (own_functions.unmarked, own_functions.returned, *_ELSEWHERE),
    "IPG103": (own_functions.unmarked, own_functions.returned, copies.at_binding),
    "IPG104": (own_functions.unmarked, own_functions.returned, copies.at_binding),
    "IPG105": (own_functions.unmarked, own_functions.returned, copies.at_binding),
    "IPG106": (own_functions.unmarked, own_functions.returned, copies.at_binding),
    "IPG107": (again.redone, moves.moved, carried.propose, *_STEPS, again.cleared),
    "IPG108": (grad_mode.no_inference_mode,),
    "IPG109": (own_functions.unmarked,),
    "IPG201": (own_functions.returned, *_ELSEWHERE, again.redone_between),
    "IPG202": _ELSEWHERE,
    "IPG203": (copies.of_statistics, copies.of_kept, moves.moved, *_ELSEWHERE),
    "IPG204": _ELSEWHERE,
    "IPG205": (own_functions.marked,),
    "IPG206": (own_functions.returned, copies.at_binding),
    "IPG207": (copies.of_swapped, copies.at_binding, copies.of_kept),
    "IPG208": (repeated.propose,),
    "IPG209": (*_STEPS, own_functions.bound_early, own_functions.without_checkpoint),
    "IPG210": (grad_mode.with_graph,),
    "IPG211": (copies.at_binding,),
    "IPG212": (copies.at_binding, copies.of_kept),
    "IPG213": _ELSEWHERE,
    "IPG301": (carried.propose, carried.retained),
    "IPG302": (grad_mode.with_graph,),
    "IPG303": (grad_mode.with_losses,),
}


def first(
    context: Context, node: ast.AST, kinds: tuple[_Kind, ...] | None = None
) -> Generator[Proposal, int | None, Proposal | None]:
    """The first change after which there are fewer findings; else the first that has another one take its place.

    Gives each candidate, and is told how many findings fewer there are with it.
    """
    otherwise: Proposal | None = None
    left = max(4, min(_MOST, _LINES // (context.text.text.count("\n") + 1)))
    tried: set[tuple[object, ...]] = set()
    kinds = _KINDS.get(context.code, ()) if kinds is None else kinds
    if context.code == "IPG203" and (context.finding.write.op or "").endswith(".step()"):
        kinds = _KINDS["IPG107"]  # a fused optimizer
    for kind in kinds:
        for proposal in kind(context, node):
            if not proposal.edits or proposal.edits in tried:
                continue
            tried.add(proposal.edits)
            found = yield proposal
            if found is not None and found > 0:
                return proposal
            if found == 0 and otherwise is None:
                otherwise = proposal
            left -= 1
            if left == 0:
                return otherwise
    return otherwise


def kept(
    context: Context, node: ast.AST, kinds: tuple[_Kind, ...]
) -> Generator[Proposal, int | None, tuple[Proposal | None, Proposal | None]]:
    """Changes with which the write stays for all: the first after which there are fewer findings, and the first after
    which another finding says that somebody should not see the write."""
    other: Proposal | None = None
    for kind in kinds:
        for proposal in kind(context, node):
            found = yield proposal
            if found is not None and found > 0:
                return proposal, other
            if found == 0 and other is None:
                other = proposal
    return None, other
