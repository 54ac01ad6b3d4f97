"""Silent hazards as findings: what went past autograd, on which line, and what to write instead."""

from __future__ import annotations

from inplace_guard.findings import Finding, Site
from inplace_guard.runtime import advice
from inplace_guard.runtime.capture import Place, site, target
from inplace_guard.runtime.explain import saved_words
from inplace_guard.runtime.functions import CtxHit
from inplace_guard.runtime.gradients import GradientWrite
from inplace_guard.runtime.items import written_name
from inplace_guard.runtime.journal import Call, Write
from inplace_guard.runtime.modules import ModulePaths
from inplace_guard.runtime.report import finding
from inplace_guard.runtime.savedhooks import HookedHit
from inplace_guard.runtime.saves import Held
from inplace_guard.runtime.silent import Lost, Overwritten
from inplace_guard.runtime.sites import call_site, outer_site, short, write_site
from inplace_guard.runtime.taint import Cut

__all__ = ["Words", "code_of_way"]

_WAYS = {
    "data": ("IPG201", "through .data"),
    "detach": ("IPG210", "through a detached alias"),
    "no_grad": ("IPG210", "under no_grad"),
    "numpy": ("IPG202", "through NumPy"),
    "dlpack": ("IPG202", "through DLPack"),
    "storage": ("IPG202", "through the raw storage"),
    "pointer": ("IPG202", "through a raw pointer"),
    "foreign": ("IPG202", "through memory that it shares with another library"),
    "kron": ("IPG203", "after torch.kron saved it without its version"),
    "sparse": ("IPG202", "through the values that a sparse tensor shares"),
    "function": ("IPG205", "inside a custom Function that does not mark it dirty"),
}
_FIX = {
    "IPG202": "fix: hand out a copy (`h.detach().clone().numpy()`, `.numpy().copy()`), or write after the backward",
    "IPG203": "fix: do it after the backward, or run the forward again before the backward",
    "IPG204": "fix: keep the tensor with ctx.save_for_backward, which is checked, and write to a copy outside",
    "IPG205": "fix: call ctx.mark_dirty(input) in forward, return the input, and use what apply returns",
    "IPG209": "fix: write after the backward, or hand the checkpointed segment a copy",
    "IPG210": "fix: compute the new value with grad mode on and out of place, so that it enters the graph",
    "IPG213": "fix: let the pack hook return a copy, or write out of place",
}


def code_of_way(way: str | None, otherwise: str) -> str:
    """The code of a write through what was taken in this way (`Bypass.marked`)."""
    return _WAYS[way][0] if way in _WAYS else otherwise


class Words:
    """Findings of one backward at `needed` (None: no backward is involved)."""

    def __init__(self, needed: Site | None, paths: ModulePaths, marked: dict[int, str]) -> None:
        self._needed = needed
        self._paths = paths
        self._marked = marked

    def overwritten(self, hit: Overwritten) -> Finding:
        write = hit.write
        code = self._code_of(write)
        where = write_site(write, self._paths)
        name = written_name(write.place, write.func) if not write.hidden else None
        what = f"`{name}`" if name else "memory"
        if write.optimizer:
            message = (
                f"the fused step of {write.optimizer} at {short(where)} wrote parameters that the graph of the "
                f"backward at {self._backward()} still needs; it bumps no version, so PyTorch does not notice"
            )
        else:
            message = (
                f"{where.op} at {short(where)} changed {what} {self._way_words(write, code)}; "
                f"{hit.saved.node.name()} keeps it for the backward at {self._backward()}"
            )
        return self._finding(code, message, write, hit.call, [saved_words(hit.saved)], leaf=hit.saved.of_leaf)

    def lost(self, hit: Lost) -> Finding:
        unrecorded = hit.unrecorded
        write = unrecorded.write
        code, way = _WAYS[unrecorded.way]
        where = write_site(write, self._paths)
        name = written_name(write.place, write.func) if not write.hidden else None
        what = f"`{name}`" if name else "a tensor"
        message = (
            f"{where.op} at {short(where)} changed {what} {way}; autograd did not record it, so the backward at "
            f"{self._backward()} passes gradients as if it had not happened"
        )
        details = []
        if hit.call is not None and hit.call.func is not None:
            details.append(f"the graph goes on from it at {_line(hit.call.place)}")
        if unrecorded.source_has_history and unrecorded.way != "function":
            details.append("the values written there have a history of their own, and get no gradient")
        return self._finding(code, message, write, None, details)

    def ctx(self, hit: CtxHit, call: Call | None) -> Finding:
        where = write_site(hit.write, self._paths)
        function = type(hit.node)._forward_cls.__name__
        kept = f"keeps as ctx.{hit.name}" if hit.name else "worked on in forward and keeps without save_for_backward"
        message = (
            f"{where.op} at {short(where)} overwrote a tensor that {function} {kept}; its backward reads the new values"
        )
        return self._finding("IPG204", message, hit.write, call, [])

    def hooked(self, hit: HookedHit, call: Call | None) -> Finding:
        where = write_site(hit.write, self._paths)
        if hit.segment is None:
            message = (
                f"{where.op} at {short(where)} overwrote memory that saved-tensor hooks keep for the backward at "
                f"{self._backward()}; under such hooks PyTorch compares no versions"
            )
            return self._finding("IPG213", message, hit.write, call, [])
        if hit.inside:
            what = "inside a checkpointed segment, overwrote a tensor that it needs again"
        elif hit.write.optimizer:
            what = "changed parameters that a checkpointed segment reads again in backward"
        else:
            what = "changed memory that a checkpointed segment reads again in backward"
        subject = f"optimizer.step() of {hit.write.optimizer}" if hit.write.optimizer else str(where.op)
        message = f"{subject} at {short(where)} {what}: the recomputation sees other values than the forward did"
        return self._finding("IPG209", message, hit.write, call, [])

    def changed(self, held: Held, write: Write | None) -> Finding:
        """The contents of a save are not those that were saved."""
        if write is not None:
            where = write_site(write, self._paths)
            message = (
                f"{where.op} at {short(where)} changed a tensor that was saved for the backward at {self._backward()}; "
                "its version does not show it"
            )
            return self._finding(self._code_of(write), message, write, None, [])
        saved = site(held.place) if held.place is not None else self._needed
        assert saved is not None
        return finding(
            "IPG203",
            f"a tensor saved at {short(saved)} changed before the backward at {self._backward()}, by a write that the "
            "guard does not see",
            saved,
            saved=saved,
            needed=self._needed,
            details=["the write is somewhere between the two lines: NumPy, a raw pointer, C++, another thread"],
            certain=False,
        )

    def mixed(self, cut: Cut, call: Call | None) -> Finding:
        after = f" (mixed in at {_line(call.place)})" if call is not None and call.func is not None else ""
        if cut.write is not None:
            where = write_site(cut.write, self._paths)
            return self._finding(
                "IPG303",
                f"{where.op} at {short(where)} wrote values that have a history without recording it; the loss of the "
                f"backward at {self._backward()} uses them{after}, and no gradient passes through",
                cut.write,
                None,
                ["fix: build the tensor with torch.stack or torch.cat, with grad mode on"],
                certain=False,
            )
        where = site(cut.place, op="torch.tensor")
        return finding(
            "IPG303",
            f"torch.tensor at {short(where)} copied values without their history into the loss of the backward at "
            f"{self._backward()}{after}; no gradient passes through them",
            where,
            needed=self._needed,
            details=["fix: torch.stack(losses), or sum(losses), keeps the history"],
            certain=False,
        )

    def gradient(self, hit: GradientWrite) -> Finding:
        where = write_site(hit.write, self._paths)
        by = f"the backward of {hit.by}" if hit.by else "a hook"
        if hit.again:
            return self._finding(
                "IPG206",
                f"{where.op} at {short(where)}: {by} overwrites a gradient that it returned before and that is in use",
                hit.write,
                None,
                ["fix: return a new tensor each time; memory of a workspace is handed on, not copied"],
            )
        message = (
            f"{where.op} at {short(where)}: {by} wrote the gradient that it was given; another branch of the graph "
            "shares that memory and gets the changed values"
        )
        fix = "fix: return a new tensor (`return grad * scale`), never write to the argument"
        return self._finding("IPG206", message, hit.write, None, [fix])

    def at_write(self, kind: str, write: Write, detail: str) -> Finding:
        where = write_site(write, self._paths)
        name = target(write.place, write.func)
        what = f"`{name}`" if name else "a tensor"
        at = f"{where.op} at {short(where)}"
        if write.optimizer:
            what = "parameters"
        if kind == "expanded":
            return self._finding(
                "IPG211",
                f"{at} writes {what}, whose elements share memory (expand, overlapping windows): it changes them all",
                write,
                None,
                ["fix: `.clone()` the expanded tensor first, or use the out-of-place form"],
            )
        if kind == "repeated":
            return self._finding(
                "IPG208",
                f"{at} writes {what} at indices that repeat: of several values for one place only one stays",
                write,
                None,
                ["fix: `x.index_add_(0, idx, y)` or `x.index_put_((idx,), y, accumulate=True)` adds them all"],
            )
        if kind == "batch_norm_twice":
            return self._finding(
                "IPG209",
                f"the batch norm at {short(where)} runs again inside a checkpointed segment and updates its running "
                "statistics twice",
                write,
                None,
                ["fix: leave the batch norm out of the checkpoint, or give it momentum 1 - sqrt(1 - m) instead of m"],
                certain=True,
            )
        if kind == "gradient_result":
            return self._finding(
                "IPG206",
                f"{at} writes {what}, a result of torch.autograd.grad that shares its memory with another result",
                write,
                None,
                ["fix: scale out of place, or clone the results first"],
            )
        if kind in ("old_name", "second_name"):
            return self._finding(
                "IPG212" if kind == "old_name" else "IPG207",
                f"{at} changes {detail}",
                write,
                None,
                ["fix: work on a copy (`x = x.clone()`, or the out-of-place form), or go on with the result alone"],
                certain=False,
            )
        if kind == "swapped":
            return self._finding(
                "IPG207",
                f"{at} assigns {what} from a view of itself that the same statement has just overwritten",
                write,
                None,
                ["fix: `x[[i, j]] = x[[j, i]]`, or clone the right-hand sides"],
                certain=False,
            )
        return self._alias(write, detail, at, what)

    def _alias(self, write: Write, reason: str, at: str, what: str) -> Finding:
        if reason == "detached":
            return self._finding(
                "IPG303",
                f"{at} takes the history from {what}, which is kept elsewhere and put together with others later: no "
                "gradient passes through it",
                write,
                None,
                ["fix: `h = h.detach()` makes a new tensor and leaves the one that is kept as it is"],
                certain=False,
            )
        words = {
            "difference": "a value kept from before is compared with it, but is the same memory: they never differ",
            "collected": "the same tensor was collected several times, so all entries show its last value",
            "blend": "it is averaged with itself: the two names stand for the same memory",
            "gradient": "somebody keeps this gradient or an alias of it, which changes with it",
            "restored": "what is copied back later is the same memory, not the values from before",
            "shared": "two of the optimizer's parameters share this memory and are updated one after the other",
            "tied": "another module's parameter was bound to the same memory with .data and changes with it",
            "again": "this line has scaled the same memory before, and nobody filled it anew: the values drift",
            "array": "a NumPy array that shares the memory is still kept, and changes with it",
        }
        reason, *places = reason.split("\n")
        return self._finding(
            "IPG207",
            f"{at} changes {what} in place; {words[reason]}",
            write,
            None,
            [*places, "fix: keep a copy (`x.detach().clone()`, copy.deepcopy(module)), or make a new tensor each time"],
            certain=False,
        )

    def _finding(
        self,
        code: str,
        message: str,
        write: Write,
        call: Call | None,
        details: list[str],
        certain: bool = True,
        leaf: bool = False,
    ) -> Finding:
        where = write_site(write, self._paths)
        details = list(details)
        if write.hidden and write.handed is not None and write.handed != write.place:
            details.append(f"the memory was handed out at {_line(write.handed)}")
        if write.until is not None:
            details.append(f"torch does not see the write: it happened between {short(where)} and {_line(write.until)}")
        if (outer := outer_site(write.stack, where)) is not None:
            details.append(f"reached from {short(outer)}: {outer.source}")
        if code == "IPG201":
            details.append(advice.for_leaf() if leaf else advice.for_data(write, where))
        elif code in _FIX:
            details.append(_FIX[code])
        saved = call_site(call, self._paths) if call is not None and call.func is not None else None
        return finding(code, message, where, saved=saved, needed=self._needed, details=details, certain=certain)

    def _code_of(self, write: Write) -> str:
        if write.hidden:
            return "IPG202"
        if write.rebinds is not None:
            return "IPG201"
        if write.optimizer or write.region is None:
            return "IPG203"
        way = self._marked.get(write.region.base)
        if write.unversioned and way != "data":
            return "IPG203"
        return _WAYS[way][0] if way in _WAYS else "IPG203"

    def _way_words(self, write: Write, code: str) -> str:
        if write.hidden:
            return "behind autograd's back"
        if code == "IPG203":
            return "without bumping its version"
        way = self._marked.get(write.region.base) if write.region is not None else None
        return _WAYS[way][1] if way in _WAYS else "through .data"

    def _backward(self) -> str:
        return short(self._needed) if self._needed is not None else "?"


def _line(place: Place) -> str:
    return short(site(place))
