"""Programs written without a look at the fixes, each with its out-of-place twin: fixed and run by PyTorch.

`unseen/*.txt` hold them as bodies of diffs: what stands after `-` is in the program alone, after `+` in the twin alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from inplace_guard.check.fixing import fix_bytes
from inplace_guard.config import Settings

from .test_corpus import same

FOLDER = Path(__file__).parent / "unseen"
HEAD = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n"

# What does not come out as the twin with --unsafe-fixes, and why.
OTHERWISE = {
    # kept under another name, or for another caller: taken for a snapshot that was meant to stay as it was (IPG207,
    # IPG212), where the twin follows the write
    "alias_name_read_later",
    "caller_sees_argument_returned_too",
    "closure_reads_later",
    "contiguous_alias",
    "two_writes_one_alias",
    "yield_alias",
    # what may be handed on is read later under its first name: the same, and the fix is not safe
    "callable_that_may_pass_on",
    "module_handed_in_may_pass_on",
    "module_or_identity",
    # it may get another shape, and somebody else holds it: nothing is done
    "out_of_an_empty_tensor",
    # two such findings would take the place of one: nothing is done
    "object_hands_back_what_it_is_given",
    # the hook has kept the result before it is copied, and does not follow the write
    "forward_hook_stored",
    # written inside of an f-string, where its name cannot get the new tensor
    "fstring_log",
    # `operator.iadd` has no fix
    "operator_module",
    # others hold a view of what `out=` is given
    "out_shape_resize",
    # nothing is found
    "grad_lost_copy_",
    "grad_lost_nograd",
    "leaf_aug_scale",
    "double_backward_loop",
    "loss_sum_item",
    "preact_dense",
    "snapshot_history_state",
}


def programs() -> Iterator[Any]:
    for file in sorted(FOLDER.glob("*.txt")):
        marks = () if file.stem == "models" else (pytest.mark.slow,)
        for block in re.split(r"^=== ", file.read_text(), flags=re.MULTILINE)[1:]:
            head, _, body = block.partition("\n")
            name, *layout = head.split()
            yield pytest.param(name, body.rstrip("\n").split("\n"), layout, id=name, marks=marks)


def text(lines: list[str], layout: list[str], sign: str) -> bytes:
    source = HEAD + "".join(f"{line[1:]}\n" for line in lines if line[:1] in ("", " ", sign))
    if "tabs" in layout:
        source = source.replace("    ", "\t")
    return source.replace("\n", "\r\n" if "crlf" in layout else "\n").encode()


def run(source: bytes) -> Any:
    """What `run()` returns, or the error."""
    torch.manual_seed(0)
    names: dict[str, Any] = {"__name__": "case"}
    try:
        exec(compile(source, "case.py", "exec"), names)
        return names["run"]()
    except Exception as error:
        return error


@pytest.mark.parametrize(("name", "lines", "layout"), programs())
@pytest.mark.filterwarnings("ignore")
def test_program(name: str, lines: list[str], layout: list[str]) -> None:
    before, twin = text(lines, layout, "-"), text(lines, layout, "+")
    truth, was = run(twin), run(before)
    assert not isinstance(truth, Exception), truth
    for unsafe in (False, True):
        file = fix_bytes(before, "case.py", Settings(), unsafe=unsafe)
        assert fix_bytes(file.after, "case.py", Settings(), unsafe=unsafe).after == file.after
        found = run(file.after)
        if unsafe and name not in OTHERWISE:
            assert same(found, truth), (file.after.decode(), found)
        elif not unsafe and file.changed:  # a safe fix may be one of several that are needed
            assert same(found, truth) or (isinstance(found, Exception) and isinstance(was, Exception))
            assert same(found, truth) or file.report.findings
