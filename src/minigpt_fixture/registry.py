"""What each break is, what PyTorch makes of it, and what the right code is. Needs no torch until code is loaded."""

from __future__ import annotations

import linecache
import sys
import types
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from minigpt_fixture.errors import UsageError

__all__ = ["BREAKS", "CONTROL", "Break", "UnknownBreak", "get", "load"]

Outcome = Literal["raises", "silent", "safe"]

CONTROL = "none"

_FOLDER = Path(__file__).parent / "breaks"


class UnknownBreak(UsageError):
    """There is no break of that name; the message lists those there are."""


@dataclass(frozen=True, slots=True)
class Break:
    """One break: a module of `minigpt_fixture.breaks` and what is known of it.

    `outcome`: `raises` (backward raises), `silent` (no error, gradients differ from the control or are missing), `safe`
    (in place and right). `writes` are the texts of the hazardous statements, or of the safe in-place write: each is
    found in the source when asked for, so no line number is kept here. `repair` is (old, new) pairs that make the file
    right, out of place; `fix` shows that as one line of code (empty: nothing to fix) and `note` says what else to know.
    `code` is the rule that names it, None for the safe ones.
    `saved_by` names the op that saved what is overwritten.
    """

    name: str
    outcome: Outcome
    summary: str
    saved_by: str
    writes: tuple[str, ...]
    repair: tuple[tuple[str, str], ...]
    fix: str
    code: str | None
    note: str = ""

    @property
    def module(self) -> str:
        return "minigpt_fixture.breaks." + self.name.replace("-", "_")

    @property
    def file(self) -> Path:
        return _FOLDER / (self.name.replace("-", "_") + ".py")

    @property
    def source(self) -> str:
        return self.file.read_text(encoding="utf-8")

    @property
    def lines(self) -> tuple[int, ...]:
        """The 1-based line of each write: the first line that holds its text."""
        rows = self.source.splitlines()
        return tuple(next(i for i, row in enumerate(rows, start=1) if text in row) for text in self.writes)

    @property
    def repaired_source(self) -> str:
        """The file with the fix applied: the out-of-place twin."""
        source = self.source
        for old, new in self.repair:
            if source.count(old) != 1:
                raise ValueError(f"{self.file}: the text to repair occurs {source.count(old)} times: {old!r}")
            source = source.replace(old, new)
        return source


def load(name: str, *, repaired: bool = False) -> Mapping[str, Any]:
    """The names that a break defines: `Block`, or `Trainer` where the break is in the training step.

    With `repaired`, the same file with its fix applied. The control gives the control's `Block`.
    """
    if name == CONTROL:
        from minigpt_fixture.model import Block

        return {"Block": Block}
    entry = get(name)
    if not repaired:
        from importlib import import_module

        return vars(import_module(entry.module))
    label = f"<{entry.file.name}, repaired>"
    source = entry.repaired_source
    linecache.cache[label] = (len(source), None, source.splitlines(keepends=True), label)
    module = types.ModuleType(entry.module + "_repaired")
    sys.modules[module.__name__] = module
    exec(compile(source, label, "exec"), vars(module))
    return vars(module)


def get(name: str) -> Break:
    """Raises UnknownBreak."""
    if name not in BREAKS:
        raise UnknownBreak(f"there is no break {name!r}; there are: {', '.join([CONTROL, *BREAKS])}")
    return BREAKS[name]


_ATTN = "self.attn(self.ln1(h))"
_FFN = "self.ffn(self.ln2(h))"

BREAKS: dict[str, Break] = {
    entry.name: entry
    for entry in (
        Break(
            name="residual-add",
            outcome="raises",
            summary="both residuals are added in place: h.add_(...)",
            saved_by="LayerNorm (its input)",
            writes=(f"h.add_({_ATTN})", f"h.add_({_FFN})"),
            repair=((f"h.add_({_ATTN})", f"h = h + {_ATTN}"), (f"h.add_({_FFN})", f"h = h + {_FFN}")),
            fix=f"h = h + {_ATTN}",
            code="IPG101",
        ),
        Break(
            name="clone-before-norm",
            outcome="raises",
            summary="h.clone() before the norm reads it, then add_: the norm saves the copy that add_ writes",
            saved_by="LayerNorm (its input)",
            writes=(f"h.add_({_ATTN})", f"h.add_({_FFN})"),
            repair=(
                (f"h = h.clone()\n        h.add_({_ATTN})", f"h = h + {_ATTN}"),
                (f"h = h.clone()\n        h.add_({_FFN})", f"h = h + {_FFN}"),
            ),
            fix=f"h = h + {_ATTN}",
            code="IPG101",
            note="a copy would have to come after the norm, not before it",
        ),
        Break(
            name="relu-saved",
            outcome="raises",
            summary="F.relu_(x) where Linear has saved x",
            saved_by="Linear (its input)",
            writes=("return y + F.relu_(x)",),
            repair=(("F.relu_(x)", "F.relu(x)"),),
            fix="return y + F.relu(x)",
            code="IPG101",
        ),
        Break(
            name="exp-saved",
            outcome="raises",
            summary="scores.exp_() where logsumexp has saved scores",
            saved_by="logsumexp (its input)",
            writes=("weights = scores.exp_() / total.exp()",),
            repair=(("scores.exp_()", "scores.exp()"),),
            fix="weights = scores.exp() / total.exp()",
            code="IPG101",
        ),
        Break(
            name="checkpoint-input",
            outcome="raises",
            summary="the input of a checkpointed call is written by the residual",
            saved_by="checkpoint (the input, for the recomputation)",
            writes=("h.add_(checkpoint(self.feed_forward, h, use_reentrant=False))",),
            repair=(
                (
                    "h.add_(checkpoint(self.feed_forward, h, use_reentrant=False))",
                    "h = h + checkpoint(self.feed_forward, h, use_reentrant=False)",
                ),
            ),
            fix="h = h + checkpoint(self.feed_forward, h, use_reentrant=False)",
            code="IPG101",
        ),
        Break(
            name="data-add",
            outcome="silent",
            summary="both residuals are added through h.data: the blocks get no gradient",
            saved_by="LayerNorm (its input)",
            writes=(f"h.data.add_({_ATTN})", f"h.data.add_({_FFN})"),
            repair=((f"h.data.add_({_ATTN})", f"h = h + {_ATTN}"), (f"h.data.add_({_FFN})", f"h = h + {_FFN}")),
            fix=f"h = h + {_ATTN}",
            code="IPG201",
        ),
        Break(
            name="numpy-view",
            outcome="silent",
            summary="a NumPy array that shares memory with h is scaled in place for a log",
            saved_by="LayerNorm (its input)",
            writes=("stream /= np.linalg.norm(stream, axis=-1, keepdims=True)",),
            repair=(("h.detach().numpy()", "h.detach().numpy().copy()"),),
            fix="stream = h.detach().numpy().copy()",
            code="IPG202",
        ),
        Break(
            name="checkpoint-closure",
            outcome="silent",
            summary="a checkpointed closure reads h, the residual writes h: backward recomputes from the new values",
            saved_by="nothing: the recomputation reads h again",
            writes=("h.add_(checkpoint(feed_forward, use_reentrant=False))",),
            repair=(
                (
                    "h.add_(checkpoint(feed_forward, use_reentrant=False))\n        return h",
                    "return h + checkpoint(feed_forward, use_reentrant=False)",
                ),
            ),
            fix="return h + checkpoint(feed_forward, use_reentrant=False)",
            code="IPG209",
            note="h = h + checkpoint(...) would be as wrong: the closure looks h up again and finds the sum",
        ),
        Break(
            name="fused-step",
            outcome="silent",
            summary="a fused optimizer steps between one forward and the second backward through it",
            saved_by="Linear and LayerNorm (their weights)",
            writes=("self.optimizer.step()",),
            repair=(
                (
                    "early_loss.backward(retain_graph=True)\n        self.optimizer.step()\n",
                    "early_loss.backward(retain_graph=True)\n",
                ),
            ),
            fix="late_loss.backward(); self.optimizer.step()",
            code="IPG203",
            note="step once, after the last backward through this forward; an optimizer that is not fused raises here",
        ),
        Break(
            name="ctx-norm",
            outcome="silent",
            summary="a custom layer norm keeps its input as ctx.x, the residual adds in place",
            saved_by="LayerNormFunction (ctx.x, which PyTorch does not check)",
            writes=(f"h.add_({_ATTN})", f"h.add_({_FFN})"),
            repair=((f"h.add_({_ATTN})", f"h = h + {_ATTN}"), (f"h.add_({_FFN})", f"h = h + {_FFN}")),
            fix=f"h = h + {_ATTN}",
            code="IPG204",
            note="ctx.save_for_backward(x) in place of ctx.x = x would let PyTorch check it, and raise",
        ),
        Break(
            name="relu-after-linear",
            outcome="safe",
            summary="F.relu_ on the result of a Linear",
            saved_by="nobody: Linear saved its input, relu_ saves its result",
            writes=("x = F.relu_(x)",),
            repair=(("F.relu_(x)", "F.relu(x)"),),
            fix="",
            code=None,
        ),
        Break(
            name="exp-fresh",
            outcome="safe",
            summary="exp_ on a difference that nobody has saved",
            saved_by="nobody: sub saves nothing, exp_ saves its result",
            writes=("weights = scores.exp_()",),
            repair=(("scores.exp_()", "scores.exp()"),),
            fix="",
            code=None,
        ),
    )
}
