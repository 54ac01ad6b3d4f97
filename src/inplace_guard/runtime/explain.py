"""What a post-mortem found, as findings."""

from __future__ import annotations

from collections.abc import Sequence

from inplace_guard.findings import Finding, Site
from inplace_guard.runtime import advice
from inplace_guard.runtime.capture import site
from inplace_guard.runtime.graphwalk import Saved
from inplace_guard.runtime.items import written_name
from inplace_guard.runtime.journal import Write
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.postmortem import Hit, overlaps
from inplace_guard.runtime.report import count, finding
from inplace_guard.runtime.sites import call_site, outer_site, short, write_site

__all__ = ["from_hits", "saved_words"]


def from_hits(hits: Sequence[Hit], needed: Site, paths: ModulePaths) -> list[Finding]:
    """One finding for each line that wrote, with the first of the saves that it hit."""
    by_place: dict[tuple[object, int], list[tuple[Hit, Write]]] = {}
    unseen = []
    for hit in hits:
        for write in hit.writes:
            where = write_site(write, paths)
            by_place.setdefault((where.path, where.line), []).append((hit, write))
        if not hit.writes:
            unseen.append(hit)
    findings = [_of_write(pairs, needed, paths) for pairs in by_place.values()]
    if unseen and not findings:
        findings.append(_unseen(unseen, needed, paths))
    return findings


def _of_write(pairs: Sequence[tuple[Hit, Write]], needed: Site, paths: ModulePaths) -> Finding:
    hit, write = next(((hit, write) for hit, write in pairs if overlaps(write, hit) is not False), pairs[0])
    hits = list({id(hit): hit for hit, _ in pairs}.values())
    where = write_site(write, paths)
    saved = _saved_site(hit, paths)
    details = [_hit_words(hit)]
    if len(hits) > 1:
        details.append(f"this line overwrote {count(len(hits), 'saved tensor')}: {_several(hits, paths)}")
    if (outer := outer_site(write.stack, where)) is not None:
        details.append(f"reached from {short(outer)}: {outer.source}")
    apart = overlaps(write, hit) is False
    if apart:
        details.append(
            "the write touched other elements of the same memory, not the saved ones: PyTorch counts one version for "
            "the whole memory, so it raises all the same"
        )
    if write.optimizer:
        number = count(len({id(write) for _, write in pairs}), "parameter")
        return finding(
            "IPG107",
            f"optimizer.step() of {write.optimizer} at {short(where)} wrote {number} that the graph of the backward "
            f"at {short(needed)} still needs",
            where,
            saved=saved,
            needed=needed,
            details=[*details, *advice.for_optimizer()],
        )
    name = written_name(write.place, write.func)
    what = f"`{name}`" if name else "a tensor"
    kept = f"which {_keeper(hit)} keeps for backward"
    return finding(
        "IPG101",
        f"{where.op} at {short(where)} overwrote {what}, {kept}" + (f" (saved at {short(saved)})" if saved else ""),
        where,
        saved=saved,
        needed=needed,
        details=[*details, *advice.for_write(write, where, name, apart, _of_leaf(hit))],
    )


def _of_leaf(hit: Hit) -> bool:
    return hit.saved is not None and hit.saved.of_leaf


def _unseen(hits: Sequence[Hit], needed: Site, paths: ModulePaths) -> Finding:
    hit = hits[0]
    saved = _saved_site(hit, paths)
    return finding(
        "IPG101",
        f"a tensor that {_keeper(hit)} keeps for backward was overwritten by a call the guard did not see",
        saved or needed,
        saved=saved,
        needed=needed,
        details=[
            _hit_words(hit),
            "the write was made before the guard started, in another thread, in a compiled function or in C++",
        ],
        certain=False,
    )


def _saved_site(hit: Hit, paths: ModulePaths) -> Site | None:
    return call_site(hit.call, paths) if hit.call is not None and hit.call.func is not None else None


def _keeper(hit: Hit) -> str:
    if hit.saved is not None:
        return str(hit.node.name())
    return "an in-place op on a view" if hit.node is not None else "a checkpointed segment" if hit.call else "some node"


def _hit_words(hit: Hit) -> str:
    if hit.saved is not None:
        words = saved_words(hit.saved, hit.clobber.version, hit.clobber.expected)
        if hit.call is not None and hit.call.func is None:
            words += f"; by a call that the guard did not see, some time before {short(site(hit.call.place))}"
        return words
    return (
        f"version {hit.clobber.version} now, {hit.clobber.expected} when it was saved; PyTorch does not show what "
        "the op saved, so the lines follow from the versions"
    )


def saved_words(saved: Saved, version: int | None = None, expected: int | None = None) -> str:
    label = saved.name if saved.index is None else f"{saved.name}[{saved.index}]"
    shape = getattr(saved.value, "shape", None)
    dimensions = f" of shape {list(shape)}" if shape is not None else ""
    versions = f"; version {version} now, {expected} when it was saved" if version is not None else ""
    return f"saved by {saved.node.name()} as `{label}`{dimensions}{versions}"


def _several(hits: Sequence[Hit], paths: ModulePaths) -> str:
    names: dict[str, None] = {}
    for hit in hits:
        call = _saved_site(hit, paths)
        where = f" at {short(call)}" if call is not None else ""
        inside = f" in {call.module}" if call is not None and call.module else ""
        names[f"{_keeper(hit)}{where}{inside}"] = None
    shown = list(names)
    return ", ".join(shown[:4]) + (f" and {len(shown) - 4} more" if len(shown) > 4 else "")
