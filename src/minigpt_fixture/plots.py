"""The plots of docs/reference-case.md, as SVG: the same bytes for the same numbers and the same matplotlib."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from minigpt_fixture.damage import Damage, control_of, spread
from minigpt_fixture.growth import Size
from minigpt_fixture.say import say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["curves_plot", "damage_plot", "digest", "gradients_plot", "growth_plot", "svg"]

BLUE, ORANGE, GREY = "#2166ac", "#d6604d", "#888888"
COLOURS = {
    "data-add": "#b2182b",
    "ctx-norm": "#ef8a62",
    "checkpoint-closure": "#8c6bb1",
    "numpy-view": "#1b9e77",
    "fused-step": "#a6761d",
}
STYLE: Any = {
    "svg.hashsalt": "minigpt",
    "svg.fonttype": "path",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "figure.facecolor": "white",
}


def svg(figure: Figure, data: object) -> str:
    """`data` is what the figure shows: its digest goes into the file, to tell a plot of other numbers."""
    import matplotlib

    with matplotlib.rc_context(STYLE):
        out = io.StringIO()
        figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None, "Description": digest(data)})
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def digest(data: object) -> str:
    return "data " + hashlib.sha256(repr(data).encode()).hexdigest()[:16]


def _figure(width: float, height: float, columns: int = 1) -> tuple[Figure, Any]:
    """Made without pyplot: nothing is global, and no window system is asked for."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        return figure, figure.subplots(1, columns)


def growth_plot(measured: Mapping[str, Sequence[tuple[int, Size]]]) -> Figure:
    figure, axes = _figure(9, 3.1, 3)
    titles = {"block_size": say("sequence length T"), "d_model": "d_model", "n_layers": say("blocks")}
    for axis, (name, rows) in zip(axes, measured.items(), strict=True):
        values = [value for value, _ in rows]
        for label, colour, style, sizes in (
            (say("activations kept"), BLUE, "o-", [size.activations for _, size in rows]),
            (say("of them attention weights"), BLUE, "o:", [size.scores for _, size in rows]),
            (say("parameters"), GREY, "s--", [size.parameters for _, size in rows]),
        ):
            axis.plot(values, [n / 1024 for n in sizes], style, color=colour, label=label, markersize=3.5)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        axis.set_xticks(values, [str(value) for value in values])
        axis.minorticks_off()
        axis.set_xlabel(titles[name])
        axis.grid(alpha=0.25)
    axes[0].set_ylabel("KiB")
    axes[0].legend(frameon=False, fontsize=8)
    return figure


def gradients_plot(errors: Mapping[str, Mapping[str, float | None]]) -> Figure:
    """A cell for each parameter and silent break: how far its gradient is from the control's. Colours: logarithmic."""
    from matplotlib.colors import LogNorm

    from minigpt_fixture.sections import percent

    figure, axis = _figure(8, 7.2)
    parameters = list(next(iter(errors.values())))
    grid = [[errors[name][parameter] for name in errors] for parameter in parameters]
    colours = matplotlib_colours("YlOrRd", bad="#444444", under="white")
    shown = [[float("nan") if cell is None else 100 * cell or 1e-9 for cell in row] for row in grid]
    image = axis.imshow(shown, aspect="auto", cmap=colours, norm=LogNorm(0.05, 300))
    for y, row in enumerate(grid):
        for x, cell in enumerate(row):
            text = say("none") if cell is None else percent(cell) if cell else "="
            dark = cell is None or cell > 0.2
            axis.text(x, y, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    axis.set_xticks(range(len(errors)), list(errors), fontsize=8)
    axis.set_yticks(range(len(parameters)), parameters, fontsize=7)
    axis.xaxis.tick_top()
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    figure.colorbar(image, ax=axis, label=say("difference from the control's gradient, %"), shrink=0.6, aspect=30)
    return figure


def matplotlib_colours(name: str, *, bad: str, under: str) -> Any:
    import matplotlib

    return matplotlib.colormaps[name].with_extremes(bad=bad, under=under)


def _pairs(found: Sequence[Damage]) -> list[tuple[Damage, Damage]]:
    """Each silent break with its control, the worst accuracy first."""
    by_name = {damage.name: damage for damage in found}
    pairs = [(damage, by_name[control_of(damage.name)]) for damage in found if damage.name in COLOURS]
    return sorted(pairs, key=lambda pair: spread(pair[0].accuracies())[0] - spread(pair[1].accuracies())[0])


def damage_plot(found: Sequence[Damage]) -> Figure:
    """A dot a seed, and mean and standard deviation beside them."""
    figure, axes = _figure(9, 3, 2)
    pairs = _pairs(found)
    for row, (damage, control) in enumerate(pairs):
        accuracy = zip(damage.accuracies(), control.accuracies(), strict=True)
        losses = zip(damage.losses(), control.losses(), strict=True)
        for axis, values in (
            (axes[0], [100 * (a / b - 1) for a, b in accuracy]),
            (axes[1], [a - b for a, b in losses]),
        ):
            mean, deviation = spread(values)
            colour = COLOURS[damage.name]
            axis.plot(values, [row] * len(values), "o", color=colour, markersize=4, alpha=0.55, markeredgewidth=0)
            axis.errorbar(mean, row + 0.25, xerr=deviation, fmt="D", color=colour, markersize=4, capsize=2.5)
    axes[0].axvspan(-10, -3, color="#f2e6c9", zorder=0, label=say("claimed: 3 to 10 % worse"))
    axes[0].legend(frameon=False, fontsize=8, loc="lower left")
    axes[0].set_yticks(range(len(pairs)), [damage.name for damage, _ in pairs])
    axes[1].set_yticks(range(len(pairs)), [""] * len(pairs))
    axes[0].set_xlabel(say("held-out accuracy against the control, %"))
    axes[1].set_xlabel(say("held-out loss against the control"))
    for axis in axes:
        axis.axvline(0, color=GREY, linewidth=1)
        axis.set_ylim(len(pairs) - 0.4, -0.6)
        axis.grid(axis="x", alpha=0.25)
    return figure


def curves_plot(found: Sequence[Damage]) -> Figure:
    """Held-out loss over the steps: the mean over the seeds, and between which values the seeds lie."""
    figure, axes = _figure(9, 3.2, 2)
    by_name = {damage.name: damage for damage in found}
    plain = [damage for damage in found if control_of(damage.name) == "none" and damage.name in COLOURS]
    groups = ((by_name["none"], plain), (by_name["two-steps"], [by_name["fused-step"]]))
    for axis, (control, damages) in zip(axes, groups, strict=True):
        for damage in (control, *damages):
            colour = COLOURS.get(damage.name, "black")
            at_step = [[results[i].loss for results in damage.results] for i in range(len(damage.at))]
            label = say("the control") if damage is control else damage.name
            axis.plot(damage.at, [spread(losses)[0] for losses in at_step], color=colour, label=label, linewidth=1.4)
            low, high = [min(losses) for losses in at_step], [max(losses) for losses in at_step]
            axis.fill_between(damage.at, low, high, color=colour, alpha=0.15, linewidth=0)
        axis.set_xlabel(say("training steps"))
        axis.grid(alpha=0.25)
        axis.legend(frameon=False, fontsize=8)
    axes[0].set_ylabel(say("held-out loss"))
    axes[1].sharey(axes[0])
    axes[0].set_title(say("one optimizer step a batch"), fontsize=9)
    axes[1].set_title(say("two optimizer steps a batch"), fontsize=9)
    return figure
