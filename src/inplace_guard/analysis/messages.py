"""From hazards to findings: the words that answer which line wrote, which saved, which backward needed it."""

from __future__ import annotations

from inplace_guard import rules
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
SAVED_AS = {"result": "its result", "input": "its input", "weight": "its weight", "self": "its input"}


def finding(hazard: Hazard, path: str, lines: list[str]) -> Finding:
    """The finding for a hazard in this file."""
    write, save = hazard.write, hazard.save
    site = make_site(write.place, write.label, path, lines)
    saved = (
        make_site(save.node.place, save.node.label, path, lines) if save is not None and save.how != "history" else None
    )
    needed = None
    if hazard.needed is not None:
        needed = make_site(hazard.needed[1], hazard.needed[0], path, lines)
    rule = rules.get(hazard.code)
    return Finding(
        code=hazard.code,
        rule=rule.name,
        source="static",
        certainty="certain" if hazard.certain else "likely",
        message=message(hazard),
        write=site,
        saved=saved,
        needed=needed,
        details=details(hazard),
    )


def make_site(place: Place, op: str, path: str, lines: list[str]) -> Site:
    if not 0 < place.line <= len(lines):
        return Site(path, place.line, place.column, op)
    line = lines[place.line - 1]
    # ast counts UTF-8 bytes, people and editors count characters.
    column = len(line.encode()[: place.column - 1].decode(errors="replace")) + 1
    return Site(path, place.line, column, op, None, line.strip())


def message(hazard: Hazard) -> str:
    write, save = hazard.write, hazard.save
    code = hazard.code
    what = "" if save is None else kept(hazard)
    then = "will raise" if hazard.certain else "would raise, in all likelihood"
    if code == "IPG101":
        return f"`{write.label}` overwrites what {what}: backward {then}"
    if code == "IPG102":
        return f"`{write.label}` overwrites what {what}, in all likelihood: backward would raise"
    if code == "IPG103":
        return f"`{write.label}` writes a leaf that requires grad with grad mode on: raises here"
    if code == "IPG104":
        return f"`{write.label}` writes a view of a leaf that requires grad with grad mode on: raises here"
    if code == "IPG105":
        return (
            f"`{write.label}` writes a view that must not be written in place (one of several made by one call): raises"
        )
    if code == "IPG106":
        return f"`{write.label}` writes expanded memory, where several elements are one: it raises, or changes them all"
    if code == "IPG107":
        return f"`{write.label}` changes parameters that {what}: a later backward through it {then}"
    if save is not None and save.how == "history":
        return f"`{write.label}` replaces values past autograd: the gradient goes on as if it had not happened"
    if code in ("IPG201", "IPG202", "IPG203") and save is not None:
        how = {"IPG201": "`.data`", "IPG202": f"shared memory ({write.how})", "IPG203": "an unversioned write"}[code]
        return f"`{write.label}` through {how} overwrites what {what}: wrong gradients, no error"
    if save is not None and code in ("IPG204", "IPG209", "IPG213"):
        why = {
            "IPG204": "keeps on ctx, which is not version-checked",
            "IPG209": "reads again when the checkpointed segment is recomputed",
            "IPG213": "saved under saved-tensor hooks, which switch the version check off",
        }[code]
        return (
            f"`{write.label}` overwrites what {save.node.label} on line {save.node.place.line} {why}: wrong gradients"
        )
    if code == "IPG207" and hazard.text == "swap":
        return (
            "the swapped values are views of what is written: the second one is read after the first write; clone them"
        )
    if code == "IPG207" and hazard.text == "shared":
        return f"`{write.label}` writes memory that is kept and handed out again: the next reader gets this value"
    if code in WORDS:
        return f"`{write.label}` {WORDS[code]}"
    if code == "IPG301" and save is not None and hazard.needed is not None:
        return (
            f"backward needs what {save.node.label} saved on line {save.node.place.line}, "
            f"but the backward on line {hazard.needed[1].line} freed it"
        )
    return rules.get(code).message


def kept(hazard: Hazard) -> str:
    save = hazard.save
    assert save is not None
    verb = "probably keeps" if save.how == "opaque" else "saved"
    thing = SAVED_AS.get(save.what, "")
    return f"{save.node.label} on line {save.node.place.line} {verb}{f' ({thing})' if thing else ''}"


def details(hazard: Hazard) -> tuple[str, ...]:
    if hazard.code in ("IPG101", "IPG102"):
        return ("use the out-of-place form, so that the saved tensor stays as it was",)
    if hazard.code == "IPG107":
        return ("run backward first and step then, or run the forward again after the step",)
    return ()
