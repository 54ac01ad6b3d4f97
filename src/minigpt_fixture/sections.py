"""The generated tables of docs/reference-case.md, in the language of `say`, each measured when it is made."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from minigpt_fixture import handbreak
from minigpt_fixture.backward_claims import backward_claims, budget_rows
from minigpt_fixture.case import build_case
from minigpt_fixture.claims import error_summary, kib, measured_claims, twin_verdict
from minigpt_fixture.damage import Damage, control_of, spread
from minigpt_fixture.gotchas import gotchas_section
from minigpt_fixture.growth import AXES, Size, measure_growth
from minigpt_fixture.measure import StepResult, kind, node_kinds, run_step, saved_names
from minigpt_fixture.registry import BREAKS, CONTROL, Break
from minigpt_fixture.say import say
from minigpt_fixture.training import BackwardRaised, TrainOptions
from minigpt_fixture.walk import LOG_SOFTMAX, NLL, Saved, Step, Walk, walk

SILENT = [entry.name for entry in BREAKS.values() if entry.outcome == "silent"]


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    head = tuple(head)
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def percent(share: float) -> str:
    """Two digits that count: 0.12 %, 3.4 %, 140 %."""
    return f"{100 * share:#.2g}".rstrip(".") + " %"


# The walk

ROWS = (
    ((1,), "token embedding", "the rows that these numbers name get the gradient"),
    ((2,), "add the position embedding", "a sum hands its gradient on as it is: add saves nothing"),
    ((3,), "layer norm before attention", "the slope of a normalised row depends on the row, its mean and its 1/std"),
    (
        (4, 5, 6),
        "Q, K and V projections",
        "`mat1` for the gradient of the weight, `mat2` for that of the input; one input for all three",
    ),
    ((7,), "split into heads", "shapes only: backward reshapes the gradient the other way"),
    ((9,), "Q K^T", "each factor for the gradient of the other"),
    ((10,), "divide by 4", "the divisor, as a tensor without dimensions"),
    ((11,), "add the causal mask", "add saves nothing"),
    ((12,), "softmax", "its slope is made from its result"),
    ((13,), "weights times V", "each factor; the weights are what softmax saved"),
    ((14,), "join the heads", "shapes, and one copy: the transposed memory is not one piece"),
    ((15,), "output projection", "input and weight, as above"),
    (
        (16,),
        "residual add",
        "add saves nothing; its left input is what the norm of step 3 keeps, so the sum needs memory of its own",
    ),
    ((17,), "layer norm before the feed-forward half", "as in step 3: this is the sum of step 16"),
    ((18,), "Linear to 256", "input and weight"),
    ((19,), "GELU", "its input: the slope is not a function of the result"),
    ((20,), "Linear back to 64", "input and weight; the input is what GELU made"),
    ((21,), "residual add", "as in step 16: the norm of step 17 keeps the left input"),
    ((22,), "final layer norm", "as in step 3"),
    ((23,), "LM head", "input and weight"),
    ((24,), "view as (T, V)", "shapes only"),
    ((LOG_SOFTMAX,), "log-softmax", "its result"),
    ((NLL,), "NLL loss", "the targets; `self` is the result of step 25 once more"),
)


@cache
def the_walk() -> Walk:
    return walk()


def _steps(numbers: Sequence[int], block: int) -> list[Step]:
    return [step for step in the_walk().of(block) if step.number in numbers]


def _label(numbers: Sequence[int]) -> str:
    return {(4, 5, 6): "4–6", (7,): "7–8"}.get(tuple(numbers), str(numbers[0]))


def _nodes(steps: Iterable[Step]) -> str:
    names = Counter(kind(node).removesuffix("Backward0") for step in steps for node in step.nodes)
    return ", ".join(name if count == 1 else f"{count} {name}" for name, count in names.items())


def _saved(steps: Iterable[Step]) -> str:
    """New memory first, then what an earlier save keeps already, then parameters, which are there in any case."""
    by_owner: dict[str, list[Saved]] = {"new": [], "shared": [], "parameter": []}
    for saved in (saved for step in steps for saved in step.saved):
        by_owner[saved.owner].append(saved)
    parts = [f"`{saved.name}` {shape(saved.shape)} {_size(saved.nbytes)}" for saved in by_owner["new"]]
    for owner, words in (("shared", "already kept"), ("parameter", "parameter")):
        names = Counter(f"`{saved.name}`" for saved in by_owner[owner])
        if names:
            listed = ", ".join(name if count == 1 else f"{count} {name}" for name, count in names.items())
            parts.append(f"{listed}: {say(words)}")
    return "<br>".join(parts) or say("nothing")


def shape(dimensions: Sequence[int]) -> str:
    """Without spaces: a table cell should not break inside."""
    return "(" + ",".join(map(str, dimensions)) + ("," if len(dimensions) == 1 else "") + ")"


def _size(count: int) -> str:
    return f"{count}\u00a0B" if count < 1024 else f"{count / 1024:g}\u00a0KiB"


def forward_table() -> str:
    rows = []
    for numbers, what, why in ROWS:
        steps = _steps(numbers, 0) or _steps(numbers, -1)
        rows.append((_label(numbers), say(what), shape(steps[0].output), _nodes(steps), _saved(steps), say(why)))
        if numbers == (21,):
            nodes = [sum(len(step.nodes) for step in the_walk().of(block)) for block in (0, 1)]
            text = say("block 1: steps 3 to 21 again ({a} nodes; block 0 had {b})", a=nodes[1], b=nodes[0])
            rows.append(("", text, shape(steps[0].output), "", "", ""))
    head = ("Step", "What", "Output", "Nodes, without `Backward0`", "Saves", "Why")
    return table(map(say, head), rows)


def backward_table() -> str:
    rows = []
    for numbers, what, _ in reversed(ROWS):
        steps = _steps(numbers, 1) or _steps(numbers, -1)
        sends = [shape(sent) for step in reversed(steps) for sent in step.sends]
        parameters = [f"`{name}` {shape(size)}" for step in steps for name, size in step.parameters.items()]
        arrives = ("3 × " if numbers in ((4, 5, 6), (7,)) else "") + shape(steps[0].arrives)
        rows.append((_label(numbers), say(what), arrives, _counted(sends), "<br>".join(parameters) or say("none")))
        if numbers == (3,):
            rows.append(("", say("block 0: the same again"), shape(steps[0].arrives), "", ""))
    head = ("Step", "What", "Gradient that arrives", "Gradients that it sends on", "Left in `.grad`")
    return table(map(say, head), rows)


def _counted(shapes: Sequence[str]) -> str:
    counts = Counter(shapes)
    return "<br>".join(text if count == 1 else f"{count} × {text}" for text, count in counts.items()) or say("none")


def claims_table() -> str:
    return table(map(say, ("Claimed", "Measured", "Why")), measured_claims())


def backward_claims_table() -> str:
    return table(map(say, ("Claimed", "Measured", "Remark")), backward_claims())


def budget_table() -> str:
    return table(map(say, ("Part", "Claimed", "Measured", "What is in it")), budget_rows(the_walk()))


def nodes_table() -> str:
    case = build_case()
    loss = case.loss_fn(case.model(case.batch.tokens), case.batch.targets)
    saved = saved_names(loss)
    kinds = sorted(node_kinds(loss).items(), key=lambda item: (-item[1], item[0]))
    return table(
        map(say, ("Node", "How many", "Saves")),
        ((name, str(count), ", ".join(f"`{s}`" for s in saved[name]) or say("nothing")) for name, count in kinds),
    )


# Memory


@cache
def growth() -> Mapping[str, Sequence[tuple[int, Size]]]:
    return {axis: measure_growth(axis) for axis in AXES}


def growth_table() -> str:
    names = {"block_size": "T", "d_model": "d_model", "n_layers": say("blocks")}
    rows = []
    for axis, sizes in growth().items():
        for value, size in sizes:
            share = f"{size.activations / size.parameters:.2f}"
            numbers = (kib(size.activations), kib(size.scores), kib(size.parameters), share)
            rows.append((f"{names[axis]} = {value}", *numbers))
    head = ("Model", "Activations kept", "Of them attention weights", "Parameters", "Activations to parameters")
    return table(map(say, head), rows)


# The breaks


def breaks_table() -> str:
    return table(
        map(say, ("Break", "What happens", "The write", "Saved by", "Right", "Rule")),
        (
            (
                f"`{entry.name}`",
                _what_happens(entry),
                "<br>".join(
                    say("line {line}: {code}", line=n, code=f"`{text}`")
                    for n, text in zip(entry.lines, entry.writes, strict=True)
                ),
                say(entry.saved_by),
                (f"`{entry.fix}`" if entry.fix else say("as it is")) + (f"; {say(entry.note)}" if entry.note else ""),
                entry.code or say("none"),
            )
            for entry in BREAKS.values()
        ),
    )


def _what_happens(entry: Break) -> str:
    step = run_step(entry.name)
    if step.error:
        return f"{say('raises')}: {error_summary(step.error)}"
    if entry.outcome == "safe":
        return say("safe: {verdict}, compared with its out-of-place twin", verdict=twin_verdict(entry.name))
    return say(
        "silent: of {all} gradients, {differing} differ and {missing} are missing",
        all=len(step.gradients),
        differing=len(step.differing(run_step(CONTROL))),
        missing=len(step.missing()),
    )


def anomaly_table() -> str:
    """Each break with anomaly mode and without, and where its forward stack ends."""
    rows = []
    for entry in BREAKS.values():
        plain, (raised, stack) = run_step(entry.name), _with_anomaly(entry.name)
        there = len(plain.gradients) - len(plain.missing())
        place, is_write = _end_of(stack, entry)
        rows.append(
            (
                f"`{entry.name}`",
                say("raises") if plain.error else say("nothing"),
                say("raises") if raised else say("nothing"),
                place,
                is_write,
                say("{there} of {all}", there=there, all=len(plain.gradients)),
            )
        )
    head = (
        "Break",
        "Without anomaly mode",
        "With",
        "Its forward stack ends at",
        "Is that the write?",
        "Parameters with a `.grad` afterwards",
    )
    return table(map(say, head), rows)


def _with_anomaly(name: str) -> tuple[bool, str]:
    import tempfile

    from minigpt_fixture.training import train

    with tempfile.TemporaryDirectory() as folder:
        try:
            train(TrainOptions(Path(folder), name, steps=1, detect_anomaly=True))
        except BackwardRaised as error:
            return True, error.forward_stack or ""
    return False, ""


def _end_of(stack: str, entry: Break) -> tuple[str, str]:
    """The last frame of a printed stack in this package, and whether it is the write."""
    frames = re.findall(r'File ".*?(\w+\.py)", line (\d+), in \w+\n +(.*)', stack)
    own = [(name, int(line), text) for name, line, text in frames if name in (entry.file.name, "model.py", "case.py")]
    if not own:
        return say("nothing"), ""
    name, line, text = own[-1]
    hit = name == entry.file.name and line in entry.lines
    return f"`{name}:{line}`: `{text}`", say("yes: the line saves, and then writes") if hit else say("no, the save")


@cache
def _first_steps() -> tuple[StepResult, dict[str, StepResult]]:
    return run_step(CONTROL), {name: run_step(name) for name in SILENT}


def gradient_errors() -> dict[str, dict[str, float | None]]:
    """For each silent break and parameter: the length of the difference from the control's gradient, relative to that
    gradient; 0 where grad-compare says equal, None where there is no gradient."""
    control, steps = _first_steps()
    found: dict[str, dict[str, float | None]] = {}
    for name, step in steps.items():
        wrong = set(step.differing(control))
        found[name] = {}
        for parameter, gradient in step.gradients.items():
            wanted = control.gradients[parameter]
            assert wanted is not None
            if gradient is None:
                found[name][parameter] = None
            else:
                error = ((gradient - wanted).norm() / wanted.norm()).item()
                found[name][parameter] = error if parameter in wrong else 0.0
    return found


def gradients_table() -> str:
    errors = gradient_errors()

    def cell(error: float | None) -> str:
        return say("none") if error is None else percent(error) if error else "="

    parameters = next(iter(errors.values()))
    rows = [(f"`{p}`", *(cell(errors[name][p]) for name in SILENT)) for p in parameters]
    return table((say("Parameter"), *(f"`{name}`" for name in SILENT)), rows)


def damage_table(found: Sequence[Damage]) -> str:
    """Each with what it is compared with, seed by seed."""
    by_name = {damage.name: damage for damage in found}
    labels = {CONTROL: say("the control"), "two-steps": say("the control with two steps a batch")}

    def row(damage: Damage) -> tuple[str, ...]:
        control = by_name[control_of(damage.name)]
        losses, accuracies = damage.losses(), damage.accuracies()
        (loss, loss_sd), (accuracy, accuracy_sd) = spread(losses), spread(accuracies)
        label = f"`{damage.name}`" + (f" ({labels[damage.name]})" if damage.name in labels else "")
        cells = (label, f"{loss:.3f} ± {loss_sd:.3f}", f"{accuracy:.1%} ± {100 * accuracy_sd:.1f}")
        if damage.name in labels:
            return (*cells, "", "", "")
        more = [a - b for a, b in zip(losses, control.losses(), strict=True)]
        relative = [a / b - 1 for a, b in zip(accuracies, control.accuracies(), strict=True)]
        worse = say("{n} of {all} seeds", n=sum(value > 0 for value in more), all=len(more))
        (mean, mean_sd), (part, part_sd) = spread(more), spread(relative)
        return (*cells, f"{mean:+.3f} ± {mean_sd:.3f}", f"{part:+.1%} ± {100 * part_sd:.1f}", worse)

    head = (
        "Break",
        "Held-out loss",
        "Held-out accuracy",
        "Loss against its control",
        "Accuracy, relative",
        "Higher loss than its control with",
    )
    return table(map(say, head), [row(damage) for damage in found])


def by_hand_table() -> str:
    control = handbreak.run()
    runs = (
        ("out of place", control),
        ("in place, counter not looked at", handbreak.run(in_place=True, check_versions=False)),
        ("in place, counter compared", handbreak.run(in_place=True)),
        ("PyTorch, in place", handbreak.torch_step(in_place=True)),
    )
    rows = []
    for label, result in runs:
        wrong = [] if result.error else handbreak.differing(result, control)
        said = result.error.partition(" Hint: ")[0] if result.error else say("nothing")
        gradients = ", ".join(f"`{name}`" for name in wrong) or ("–" if result.error else say("all right"))
        rows.append((say(label), f"{result.loss:.6f}", said, gradients))
    return table(map(say, ("Run", "Loss", "Raised", "Wrong gradients")), rows)


SECTIONS = {
    "forward": forward_table,
    "backward": backward_table,
    "backward-claims": backward_claims_table,
    "claims": claims_table,
    "nodes": nodes_table,
    "budget": budget_table,
    "growth": growth_table,
    "gotchas": gotchas_section,
    "breaks": breaks_table,
    "anomaly": anomaly_table,
    "gradients": gradients_table,
    "by-hand": by_hand_table,
}
