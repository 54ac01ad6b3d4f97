"""A fix is not safe where the program expects the error that it would take away."""

from __future__ import annotations

import pytest

from inplace_guard.check.fixing import FixedFile, fix_bytes
from inplace_guard.config import Settings

REASON = "the error seems to be expected here"
HEAD = """\
import contextlib
import unittest
import pytest
import pytest as pt
import torch
from pytest import raises
from pytest import raises as fails


"""
START = """\
def test():
    w = torch.ones(2, requires_grad=True)
    h = w.exp()
    h += 1
"""
TRY = """\
    try:
        h.sum().backward()
    except {}:
        print("yes")
"""


def fixed(source: str) -> FixedFile:
    return fix_bytes((HEAD + source).encode(), "test_net.py", Settings(cross_file=False), unsafe=False)


def expects(source: str) -> None:
    file = fixed(source)
    assert not file.changed
    assert [finding.code for finding in file.report.findings] == ["IPG101"]
    (finding,) = file.report.findings
    assert finding.fix is not None
    assert (finding.fix["applicability"], finding.fix["reason"]) == ("unsafe", REASON)
    assert fix_bytes((HEAD + source).encode(), "test_net.py", Settings(cross_file=False), unsafe=True).changed


def does_not(source: str) -> None:
    file = fixed(source)
    assert [finding.code for finding in file.fixed] == ["IPG101"]
    assert file.report.findings == []


@pytest.mark.parametrize(
    ("context", "noop"),
    [
        ("pytest.raises(RuntimeError)", "pytest.warns(UserWarning)"),
        ("pt.raises((ValueError, RuntimeError), match='in-?place')", "pt.raises((ValueError, TypeError))"),
        ("raises(expected_exception=Exception)", "raises(expected_exception=ValueError)"),
        ("fails(RuntimeError)", "contextlib.nullcontext()"),
        ("open('x'), pytest.raises(RuntimeError)", "open('x')"),
        ("unittest.TestCase().assertRaises(RuntimeError)", "unittest.TestCase().subTest(RuntimeError)"),
        ("unittest.TestCase().assertRaisesRegex(RuntimeError, 'x')", "unittest.TestCase().assertLogs()"),
        ("pytest.raises(TheError)", "pytest.deprecated_call()"),
    ],
)
def test_a_block_that_asserts_it(context: str, noop: str) -> None:
    for text, check in ((context, expects), (noop, does_not)):
        check(f"{START}    with {text}:\n        h.sum().backward()\n")
        check(
            f"with {text}:\n    w = torch.ones(2, requires_grad=True)\n    h = w.exp()\n    h += 1\n"
            "    h.sum().backward()\n"
        )


def test_a_call_that_asserts_it() -> None:
    for name, check in (("pytest.raises", expects), ("self.assertRaises", expects), ("self.id", does_not)):
        check(f"{START}    loss = h.sum()\n    {name}(RuntimeError, loss.backward)\n    loss.backward()\n")
    does_not(f"{START}    h.sum().backward()\n\n\ndef other(f):\n    pytest.raises(RuntimeError, f)\n")


def test_in_another_function() -> None:
    helper = "def helper(w):\n    h = w.exp()\n    h += 1\n    return h.sum()\n\n\n"
    call = "helper(torch.ones(2, requires_grad=True)).backward()\n"
    expects(f"{helper}def test():\n    with raises(RuntimeError):\n        {call}")
    does_not(f"{helper}def test():\n    {call}")
    handled = "    except RuntimeError:\n        print('out of memory')\n"
    does_not(f"{helper}def train():\n    try:\n        {call}{handled}")


@pytest.mark.parametrize("caught", ["RuntimeError", "(TypeError, Exception)", "BaseException as error", ""])
def test_a_handler(caught: str) -> None:
    expects(START + TRY.format(caught).replace("except :", "except:"))
    does_not(START + TRY.format("(ValueError, KeyError)"))
    does_not(START + "    h.sum().backward()\n" + TRY.format(caught).replace("h.sum().backward()", "print()"))


@pytest.mark.parametrize(
    "mark", ["pytest.mark.xfail", "pt.mark.xfail(raises=RuntimeError, strict=True)", "unittest.expectedFailure"]
)
def test_a_mark(mark: str) -> None:
    expects(f"@{mark}\n{START}    h.sum().backward()\n")
    does_not(f"@pytest.mark.slow\n{START}    h.sum().backward()\n")
    does_not(f"{START}    h.sum().backward()\n\n\n@{mark}\ndef other():\n    pass\n")


def test_wrong_numbers_are_not_the_error() -> None:
    source = f"{START}    with raises(RuntimeError):\n        h.sum().backward()\n"
    assert REASON in str(fixed(source).report.findings[0].fix)
    silent = source.replace("h += 1", "h.data.add_(1)")
    assert all(REASON not in str(finding.fix) for finding in fixed(silent).report.findings)
