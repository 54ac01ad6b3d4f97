"""Hits as findings, and findings as the lines that are added to an error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inplace_guard import rules
from inplace_guard.findings import Finding, Site
from inplace_guard.runtime import advice
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.postmortem import Hit, overlaps
from inplace_guard.runtime.sites import call_site, place_of, seen_from, short, write_site
from inplace_guard.runtime.capture import site, target

__all__ = ["enrich", "finding", "from_hits", "render"]

_INDENT = "  "


def finding(
    code: str,
    message: str,
    write: Site,
    *,
    saved: Site | None = None,
    needed: Site | None = None,
    details: Iterable[str] = (),
    certain: bool = True,
) -> Finding:
    return Finding(
        code=code,
        rule=rules.get(code).name,
        source="runtime",
        certainty="certain" if certain else "likely",
        message=message,
        write=write,
        saved=saved,
        needed=needed,
        details=tuple(details),
    )


def from_hits(hits: Sequence[Hit], needed: Site, paths: ModulePaths) -> list[Finding]:
    """One finding for each line that wrote, with the first of the saves that it hit."""
    by_place: dict[tuple[object, int], list[tuple[Hit, Write]]] = {}
    unseen = []
    for hit in hits:
        for write in hit.writes:
            by_place.setdefault(tuple(place_of(write)), []).append((hit, write))
        if not hit.writes:
            unseen.append(hit)
    findings = [_of_write(pairs, needed, paths) for pairs in by_place.values()]
    if unseen and not findings:
        findings.append(_unseen(unseen, needed, paths))
    return findings


def _of_write(pairs: Sequence[tuple[Hit, Write]], needed: Site, paths: ModulePaths) -> Finding:
    hit, write = pairs[0]
    hits = list({id(hit): hit for hit, _ in pairs}.values())
    where = write_site(write, paths)
    saved = call_site(hit.call, paths) if hit.call is not None else None
    details = [_saved_words(hit)]
    if len(hits) > 1:
        details.append(f"this line overwrote {len(hits)} saved tensors: {_several(hits, paths)}")
    if (outer := seen_from(write)) is not None:
        details.append(f"called from {short(site(outer))}")
    if overlaps(write, hit) is False:
        details.append(
            "the write touched other elements of the same memory, not the saved ones; PyTorch counts one version "
            "for the whole memory, so it raises all the same"
        )
    if write.optimizer:
        return finding(
            "IPG107",
            f"optimizer.step() of {write.optimizer} at {short(where)} wrote {_count(len(hits), 'parameter')} that the "
            f"graph of the backward at {short(needed)} still needs",
            where,
            saved=saved,
            needed=needed,
            details=[*details, *advice.for_optimizer()],
        )
    name = target(place_of(write))
    what = f"`{name}`" if name else "a tensor"
    kept = f"which {_node_words(hit)} keeps for backward" + (f" (saved at {short(saved)})" if saved else "")
    return finding(
        "IPG101",
        f"{where.op} at {short(where)} overwrote {what}, {kept}",
        where,
        saved=saved,
        needed=needed,
        details=[*details, *advice.for_write(write, hit, name)],
    )


def _unseen(hits: Sequence[Hit], needed: Site, paths: ModulePaths) -> Finding:
    hit = hits[0]
    saved = call_site(hit.call, paths) if hit.call is not None else None
    return finding(
        "IPG101",
        f"a tensor that {_node_words(hit)} keeps for backward was overwritten by a call that the guard does not see",
        saved or needed,
        saved=saved,
        needed=needed,
        details=[_saved_words(hit), "the write was made before the guard started, in another thread, or in C++"],
        certain=False,
    )


def _node_words(hit: Hit) -> str:
    return hit.saved.node.name()  # type: ignore[no-any-return]


def _saved_words(hit: Hit) -> str:
    label = hit.saved.name if hit.saved.index is None else f"{hit.saved.name}[{hit.saved.index}]"
    shape = f" of shape {list(hit.shape)}" if hit.shape is not None else ""
    versions = ""
    if hit.clobber.version is not None:
        versions = f"; version {hit.clobber.version} now, {hit.clobber.expected} when it was saved"
    return f"saved by {_node_words(hit)} as `{label}`{shape}{versions}"


def _several(hits: Sequence[Hit], paths: ModulePaths) -> str:
    names: dict[str, None] = {}
    for hit in hits:
        where = f" at {short(call_site(hit.call, paths))}" if hit.call is not None else ""
        names[f"{_node_words(hit)}{where}"] = None
    shown = list(names)
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def render(findings: Sequence[Finding]) -> str:
    """The report as plain lines, for the end of an error's message."""
    lines = ["inplace-guard:"]
    for found in findings:
        lines.append(f"{_INDENT}{found.code} {found.message}")
        for label, where in (("wrote", found.write), ("saved", found.saved), ("needed", found.needed)):
            if where is not None:
                module = f" in {where.module}" if where.module else ""
                lines.append(f"{_INDENT * 2}{label:<7}{where.path}:{where.line}{module}: {where.source or where.op}")
        lines += [f"{_INDENT * 2}{detail}" for detail in found.details]
    return "\n".join(lines)


def enrich(error: BaseException, findings: Sequence[Finding]) -> None:
    """Add the report below the message: same object, same type, same first line."""
    if not findings or not error.args or not isinstance(error.args[0], str):
        return
    error.args = (f"{error.args[0]}\n\n{render(findings)}", *error.args[1:])
