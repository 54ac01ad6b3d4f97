"""What the text of the error says: the tensor, the op that made it, its versions."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Facts", "read_facts"]

_TENSOR = re.compile(r"\[(?P<type>[\w.]+) \[(?P<shape>(?:\d{1,18}(?:, *\d{1,18})*)?)\]\]")
_OUTPUT = re.compile(r"which is output (?P<number>\d{1,9}) of (?P<op>[\w:]+)")
_FOUND = re.compile(r"is at version (?P<found>\d{1,18})")
_EXPECTED = re.compile(r"expected version (?P<expected>\d{1,18})")


@dataclass(frozen=True, slots=True)
class Facts:
    """None or empty: the log does not say. `op`: the node that made the tensor ("Relu", "AsStrided"), without
    "Backward0"; PyTorch names none for a leaf, such as a parameter."""

    type: str = ""
    shape: tuple[int, ...] | None = None
    output: int | None = None
    op: str = ""
    found: int | None = None
    expected: int | None = None

    @property
    def writes(self) -> int | None:
        """How often the tensor was written between the save and the backward."""
        if self.found is None or self.expected is None:
            return None
        return self.found - self.expected

    @property
    def of_leaf(self) -> bool:
        """The text is whole and names no op: a parameter, a buffer, data."""
        return self.found is not None and not self.op

    @property
    def of_view(self) -> bool:
        """Made by a view: the transposed weight of a Linear, or a view whose base was written."""
        return self.op in ("AsStrided", "T", "Transpose")

    @property
    def missing(self) -> list[str]:
        """The parts that this error has and the log has not."""
        parts = {
            "the shape of the tensor": self.shape is None,
            "the versions": self.found is None,
            "the expected version": self.found is not None and self.expected is None,
        }
        return [what for what, gone in parts.items() if gone]


def read_facts(text: str) -> Facts:
    tensor, output = _TENSOR.search(text), _OUTPUT.search(text)
    found, expected = _FOUND.search(text), _EXPECTED.search(text)
    return Facts(
        type=tensor["type"] if tensor else "",
        shape=tuple(int(size) for size in tensor["shape"].split(",") if size.strip()) if tensor else None,
        output=int(output["number"]) if output else None,
        op=node_name(output["op"]) if output else "",
        found=int(found["found"]) if found else None,
        expected=int(expected["expected"]) if expected else None,
    )


def node_name(text: str) -> str:
    """`torch::autograd::CopySlices` -> CopySlices, `ReluBackward0` -> Relu (as newer versions of PyTorch call it)."""
    return re.sub(r"Backward\d*$", "", text.rpartition("::")[2])
