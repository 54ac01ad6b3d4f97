"""From hazards to findings: the words that answer which line wrote, which saved, which backward needed it."""

from __future__ import annotations

import os
import re
from dataclasses import replace

from inplace_guard import rules
from inplace_guard.analysis.scope import Scope
from inplace_guard.analysis.tape import Hazard, Place
from inplace_guard.findings import Finding, Site

WORDS = {
    "IPG205": "writes an input of a custom Function without ctx.mark_dirty: autograd goes on with the old history",
    "IPG206": "writes a gradient that a hook or backward was handed: other branches may hold the same memory",
    "IPG207": "changes a tensor that is also kept elsewhere, as an alias and not a copy: clone() what is kept",
    "IPG209": "runs again when the checkpointed segment is recomputed: what it updates is updated twice",
    "IPG211": "writes memory that several elements share (expand, overlapping unfold): it changes them all",
    "IPG212": "overwrites a tensor that is read again under its first name, and finds the new values there",
}
CALLED = re.compile(r"(?:class\s+)?([\w.]+)")
SWAPPED = "the swapped values are views of what is written: the second one is read after the first write; clone them"
SAVED_AS = {"result": "its result", "input": "its input", "weight": "its weight", "self": "its input"}


def finding(hazard: Hazard, path: str, scope: Scope) -> Finding:
    """The finding for a hazard in this file. A write in another file is reported at the call that leads to it."""
    write, save = hazard.write, hazard.save
    saved = make_site(save.node.place, save.node.label, path, scope) if save and save.how != "history" else None
    needed = None
    if hazard.needed is not None:
        needed = make_site(hazard.needed[1], hazard.needed[0], path, scope)
    rule = rules.get(hazard.code)
    site = make_site(write.place, write.label, path, scope)
    said, notes = f"`{write.label}`", details(hazard)
    if write.place.file is not None and (here := write.place.here) is not None:
        inner, site = site, make_site(here, "", path, scope)
        called = CALLED.match(scope.lines[here.line - 1], site.column - 1) if here.line <= len(scope.lines) else None
        site = replace(site, op=called[1] if called else "call")
        said = f"`{site.op}` (by {said} at {inner.path}:{inner.line})"
        notes = (f"the write is in {inner.path}, line {inner.line}: {inner.source}", *notes)
    words = Words(hazard, said, saved, needed)
    return Finding(
        code=hazard.code,
        rule=rule.name,
        source="static",
        certainty="certain" if hazard.certain else "likely",
        message=words.message(),
        write=site,
        saved=saved,
        needed=needed,
        details=notes,
    )


def shown(file: Scope, path: str, scope: Scope) -> str:
    """How to call another file, by the way in which the analysed one, `path`, is called."""
    assert file.unit is not None
    assert scope.unit is not None
    try:
        relative = os.path.relpath(file.unit.path, os.path.dirname(scope.unit.path))
    except ValueError:  # on another drive
        return file.unit.path
    return os.path.normpath(os.path.join(os.path.dirname(path), relative))


def make_site(place: Place, op: str, path: str, scope: Scope) -> Site:
    lines = (place.file or scope).lines
    if place.file is not None:
        path = shown(place.file, path, scope)
    if not 0 < place.line <= len(lines):
        return Site(path, place.line, place.column, op)
    line = lines[place.line - 1]
    # ast counts UTF-8 bytes, people and editors count characters.
    column = len(line.encode()[: place.column - 1].decode(errors="replace")) + 1
    return Site(path, place.line, column, op, None, line.strip())


class Words:
    """The message of one hazard: `said` is the write, `saved` and `needed` are the sites."""

    def __init__(self, hazard: Hazard, said: str, saved: Site | None, needed: Site | None) -> None:
        self.hazard = hazard
        self.said = said
        self.saved = saved
        self.needed = needed

    def line(self, site: Site | None, place: Place) -> str:
        return f"line {place.line}" + (f" of {site.path}" if site is not None and place.file is not None else "")

    def kept(self) -> str:
        save = self.hazard.save
        assert save is not None
        verb = "probably keeps" if save.how == "opaque" else "saved"
        thing = SAVED_AS.get(save.what, "")
        return f"{self.keeper()} {verb}{f' ({thing})' if thing else ''}"

    def keeper(self) -> str:
        save = self.hazard.save
        assert save is not None
        return f"{save.node.label} on {self.line(self.saved, save.node.place)}"

    def message(self) -> str:
        hazard, said = self.hazard, self.said
        write, save = hazard.write, hazard.save
        code = hazard.code
        what = "" if save is None else self.kept()
        then = "will raise" if hazard.certain else "would raise, in all likelihood"
        if code == "IPG101":
            return f"{said} overwrites what {what}: backward {then}"
        if code == "IPG102":
            return f"{said} overwrites what {what}, in all likelihood: backward would raise"
        if code == "IPG103":
            return f"{said} writes a leaf that requires grad with grad mode on: raises here"
        if code == "IPG104":
            return f"{said} writes a view of a leaf that requires grad with grad mode on: raises here"
        if code == "IPG105":
            return f"{said} writes a view that must not be written in place (one of several made by one call): raises"
        if code == "IPG106":
            return f"{said} writes expanded memory, where several elements are one: it raises, or changes them all"
        if code == "IPG107":
            return f"{said} changes parameters that {what}: a later backward through it {then}"
        if save is not None and save.how == "history":
            return f"{said} replaces values past autograd: the gradient goes on as if it had not happened"
        if code in ("IPG201", "IPG202", "IPG203") and save is not None:
            how = {"IPG201": "`.data`", "IPG202": f"shared memory ({write.how})", "IPG203": "an unversioned write"}[
                code
            ]
            return f"{said} through {how} overwrites what {what}: wrong gradients, no error"
        if save is not None and code in ("IPG204", "IPG209", "IPG213"):
            why = {
                "IPG204": "keeps on ctx, which is not version-checked",
                "IPG209": "reads again when the checkpointed segment is recomputed",
                "IPG213": "saved under saved-tensor hooks, which switch the version check off",
            }[code]
            return f"{said} overwrites what {self.keeper()} {why}: wrong gradients"
        if code == "IPG207" and hazard.text == "swap":
            return SWAPPED
        if code == "IPG207" and hazard.text == "shared":
            return f"{said} writes memory that is kept and handed out again: the next reader gets this value"
        if code == "IPG208" and hazard.text == "scatter":
            return f"{said} keeps one of several values where its index repeats; index_add_ and scatter_reduce_ use all"
        if code == "IPG204" and hazard.text == "forward":
            return f"{said} overwrites what forward has kept for backward already: wrong gradients, no error"
        if code == "IPG303" and hazard.text == "cut":
            return f"{said} takes the history of a tensor that is read again under another name: no gradient gets there"
        if code in WORDS:
            return f"{said} {WORDS[code]}"
        if code == "IPG301" and save is not None and hazard.needed is not None:
            return (
                f"backward needs what {save.node.label} saved on {self.line(self.saved, save.node.place)}, "
                f"but the backward on {self.line(self.needed, hazard.needed[1])} freed it"
            )
        return rules.get(code).message


def details(hazard: Hazard) -> tuple[str, ...]:
    if hazard.code in ("IPG101", "IPG102"):
        return ("use the out-of-place form, so that the saved tensor stays as it was",)
    if hazard.code == "IPG107":
        return ("run backward first and step then, or run the forward again after the step",)
    return ()
