"""The plugin as a user meets it: options, marker, ini, fixture, report, exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch  # here, and not first in a run within a run: pytester forgets what that imports, and torch loads only once

import inplace_guard.runtime.guard
from inplace_guard.findings import Finding

RAISES = """
    import torch

    def test_raises():
        y = torch.zeros(3, requires_grad=True).exp()
        y.add_(1)  # wrote
        y.sum().backward()
"""
SILENT = """
    import torch

    def test_silent():
        y = torch.zeros(3, requires_grad=True).exp()
        y.data.add_(1)
        y.sum().backward()
"""
LISTED = """
    import torch

    def test_listed():
        x = torch.zeros(3)
        x[torch.tensor([1, 1])] += 1
"""
RIGHT = """
    import torch

    def test_right():
        y = torch.zeros(3, requires_grad=True).exp()
        (y + 1).sum().backward()
"""


@pytest.fixture
def files(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_raises=RAISES, test_silent=SILENT, test_right=RIGHT, test_listed=LISTED)
    return pytester


assert inplace_guard.runtime.guard


def findings(path: Path) -> list[Finding]:
    data = json.loads(path.read_text())
    assert data["schema"] == 1
    return [Finding.from_json(entry) for entry in data["findings"]]


def test_named_it_guards_every_test(files: pytest.Pytester) -> None:
    result = files.runpytest("-p", "inplace_guard", "--inplace-guard-report=out.json")
    result.assert_outcomes(passed=2, failed=2)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*InplaceHazardError: add_ at test_silent.py:5 changed*",
            "*= inplace-guard =*",
            "IPG101 saved-tensor-overwritten  *test_raises.py:5  y.add_(1)  # wrote",
            "    test_raises.py::test_raises",
            "IPG201 data-write  *test_silent.py:5*",
            "IPG208 repeated-index-write  *test_listed.py:5*",
            "written to *out.json",
        ]
    )
    found = {finding.test: finding for finding in findings(files.path / "out.json")}
    assert set(found) == {"test_raises.py::test_raises", "test_silent.py::test_silent", "test_listed.py::test_listed"}
    raised = found["test_raises.py::test_raises"]
    assert raised.saved is not None
    assert raised.needed is not None
    assert (raised.write.line, raised.saved.line, raised.needed.line) == (5, 4, 6)


def test_the_failing_test_shows_code_frames(files: pytest.Pytester) -> None:
    result = files.runpytest("-p", "inplace_guard", "test_raises.py")
    result.stdout.fnmatch_lines(
        [
            "*modified by an inplace operation*",
            "*- inplace-guard -*",
            "error[[]IPG101]: add_ at test_raises.py:5 overwrote `y`, which ExpBackward0 keeps for backward*",
            "4 |*y = torch.zeros(3, requires_grad=True).exp()",
            "  |*--- saved here by exp",
            "5 |*y.add_(1)  # wrote",
            "  |*^^^ written here by add_",
            "6 |*y.sum().backward()",
            "  |*--- needed here by backward",
            "*fix: write out of place: `y = y + 1`",
        ]
    )


def test_only_installed_it_is_passive(files: pytest.Pytester) -> None:
    result = files.runpytest("--inplace-guard-anomaly=on")
    result.assert_outcomes(passed=3, failed=1)
    assert "IPG" not in result.stdout.str()


def test_the_option_turns_it_on_and_off(files: pytest.Pytester) -> None:
    files.runpytest("--inplace-guard=on").assert_outcomes(passed=2, failed=2)
    files.runpytest("-p", "inplace_guard", "--inplace-guard=off").assert_outcomes(passed=3, failed=1)


def test_fail_fast(files: pytest.Pytester) -> None:
    result = files.runpytest("--inplace-guard=fail-fast", "test_raises.py", "test_listed.py")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*InplaceHazardError: add_ at test_raises.py:5 would overwrite*"])


def test_the_plugin_can_be_blocked(files: pytest.Pytester) -> None:
    result = files.runpytest("-p", "no:inplace_guard", "test_right.py")
    result.assert_outcomes(passed=1)
    assert files.runpytest("-p", "no:inplace_guard", "--inplace-guard=on").ret == pytest.ExitCode.USAGE_ERROR


@pytest.mark.parametrize(
    ("ini", "marker", "options", "on"),
    [
        ("", "", [], False),
        ("inplace_guard = on", "", [], True),
        ("inplace_guard = on", "'off'", [], False),
        ("inplace_guard = off", "", ["-p", "inplace_guard"], False),
        ("inplace_guard = off", "'on'", [], True),
        ("inplace_guard = off", "mode='off'", ["--inplace-guard=on"], True),
        ("", "", ["-p", "inplace_guard"], True),
        ("", "mode='on'", ["--inplace-guard=off"], False),
        ("addopts = -p inplace_guard", "", [], True),
    ],
)
def test_option_marker_ini_in_this_order(
    pytester: pytest.Pytester, ini: str, marker: str, options: list[str], on: bool
) -> None:
    mark = f"@pytest.mark.inplace_guard({marker})" if marker else ""
    pytester.makepyfile(
        f"""
        import pytest, torch

        {mark}
        def test_silent():
            y = torch.zeros(3, requires_grad=True).exp()
            y.data.add_(1)
            y.sum().backward()
        """
    )
    pytester.makeini(f"[pytest]\n{ini}\n")
    pytester.runpytest(*options).assert_outcomes(**({"failed": 1} if on else {"passed": 1}))


@pytest.mark.parametrize(
    ("options", "ini", "marker", "failed"),
    [
        ([], "", "", 0),
        (["--inplace-guard-raise-on=IPG208"], "", "", 1),
        (["--inplace-guard-raise-on=IPG2,IPG303"], "", "", 1),
        ([], "repeated-index-write", "", 1),
        ([], "", 'raise_on=["IPG208"]', 1),
        ([], "IPG208", 'raise_on="IPG303"', 0),
        (["--inplace-guard-raise-on=IPG303"], "", 'raise_on="IPG208"', 0),
    ],
)
def test_what_is_only_listed_fails_the_test_if_asked(
    pytester: pytest.Pytester, options: list[str], ini: str, marker: str, failed: int
) -> None:
    if ini:
        pytester.makeini(f"[pytest]\ninplace_guard_raise_on = {ini}\n")
    mark = f"@pytest.mark.inplace_guard({marker})\n    " if marker else ""
    source = LISTED.replace("def test", f"{mark}def test").replace("import torch", "import pytest\n    import torch")
    pytester.makepyfile(source)
    result = pytester.runpytest("-p", "inplace_guard", *options)
    result.assert_outcomes(failed=failed, passed=1 - failed)


def test_the_nearest_marker_wins_over_those_around_it(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, torch

        pytestmark = pytest.mark.inplace_guard("off")

        def silent():
            y = torch.zeros(3, requires_grad=True).exp()
            y.data.add_(1)
            y.sum().backward()

        @pytest.mark.inplace_guard(mode="on", allow=["IPG201"])
        class TestAll:
            def test_allowed(self):
                silent()

            @pytest.mark.inplace_guard(allow=[])
            def test_not_allowed(self):
                silent()

        def test_off():
            silent()
        """
    )
    result = pytester.runpytest("-p", "inplace_guard", "-v")
    result.stdout.fnmatch_lines(["*test_allowed PASSED*", "*test_not_allowed FAILED*", "*test_off PASSED*"])


def test_expect(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, torch

        def write(t):
            y = t.exp()
            y.add_(1)
            y.sum().backward()

        @pytest.mark.inplace_guard(expect="IPG101")
        def test_met():
            write(torch.zeros(3, requires_grad=True))

        @pytest.mark.inplace_guard(expect=["saved-tensor-overwritten"])
        def test_met_by_name():
            write(torch.zeros(3, requires_grad=True))

        @pytest.mark.inplace_guard(expect=["IPG1", "IPG208"])
        def test_half_met():
            write(torch.zeros(3, requires_grad=True))

        @pytest.mark.inplace_guard(expect=["IPG2"])
        def test_another_error():
            write(torch.zeros(3, requires_grad=True))

        @pytest.mark.inplace_guard(expect=["IPG101"])
        def test_nothing():
            pass

        @pytest.mark.inplace_guard(expect=["IPG208"])
        def test_listed():
            x = torch.zeros(3)
            x[torch.tensor([1, 1])] += 1
        """
    )
    result = pytester.runpytest("-v", "--inplace-guard-report=out.json")
    result.stdout.fnmatch_lines(
        [
            "*test_met PASSED*",
            "*test_met_by_name PASSED*",
            "*test_half_met FAILED*",
            "*test_another_error FAILED*",
            "*test_nothing FAILED*",
            "*test_listed PASSED*",
            "*expected IPG208, which was not found",
            "*expected IPG101, which was not found",
        ]
    )
    assert [finding.test for finding in findings(pytester.path / "out.json")] == ["test_expect.py::test_another_error"]


def test_the_fixture_gives_the_findings(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, torch

        def test_it(inplace_guard):
            assert torch.is_anomaly_enabled()
            y = torch.zeros(3, requires_grad=True).exp()
            y.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()
            (found,) = inplace_guard.findings
            assert found.code == "IPG101"

        def test_other():
            assert not torch.is_anomaly_enabled()
            assert torch.overrides._len_torch_function_stack() == 0
        """
    )
    pytester.runpytest().assert_outcomes(passed=2, warnings=1)


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], "True"), (["--inplace-guard-anomaly=off"], "False"), (["--inplace-guard-anomaly=on"], "True")],
)
def test_anomaly_mode(pytester: pytest.Pytester, options: list[str], expected: str) -> None:
    pytester.makepyfile(
        f"""
        import torch

        def test_it(inplace_guard):
            assert torch.is_anomaly_enabled() is {expected}
        """
    )
    pytester.runpytest(*options).assert_outcomes(passed=1)
    assert not torch.is_anomaly_enabled()


def test_anomaly_mode_for_all(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import torch\ndef test_it():\n    assert torch.is_anomaly_enabled()\n")
    pytester.runpytest("-p", "inplace_guard", "--inplace-guard-anomaly=on").assert_outcomes(passed=1)
    pytester.runpytest("-p", "inplace_guard").assert_outcomes(failed=1)
    pytester.makeini("[pytest]\ninplace_guard_anomaly = on\n")
    pytester.runpytest("-p", "inplace_guard").assert_outcomes(passed=1)


def test_content(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import ctypes, torch

        def test_it():
            y = torch.zeros(3, requires_grad=True).exp()
            with torch._C.DisableTorchFunction():
                address = y.data_ptr()
            ctypes.memset(address, 0, 4)
            y.sum().backward()
        """
    )
    pytester.runpytest("-p", "inplace_guard").assert_outcomes(passed=1)
    pytester.runpytest("-p", "inplace_guard", "--inplace-guard-content").assert_outcomes(failed=1)
    pytester.makeini("[pytest]\ninplace_guard_content = yes\n")
    pytester.runpytest("-p", "inplace_guard").assert_outcomes(failed=1)


def test_a_graph_of_a_fixture_is_known_in_the_test(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest, torch

        @pytest.fixture(scope="session")
        def activation():
            return torch.zeros(3, requires_grad=True).exp()

        @pytest.fixture(scope="class")
        def loss(activation):
            return activation.sum()

        class TestBoth:
            def test_first(self, activation, loss):
                activation.mul_(2)

            def test_second(self, loss):
                loss.backward()
        """
    )
    result = pytester.runpytest("-p", "inplace_guard", "--inplace-guard-report=out.json")
    result.assert_outcomes(passed=1, failed=1)
    (found,) = findings(pytester.path / "out.json")
    assert found.test is not None
    assert found.test.endswith("test_second")
    assert (found.write.line, found.saved and found.saved.line) == (13, 5)


def test_unittest_parametrised_async_and_doctest(pytester: pytest.Pytester) -> None:
    body = """
        y = torch.zeros(3, requires_grad=True).exp()
        y.data.add_(1)
        y.sum().backward()
    """
    pytester.makepyfile(
        f"""
        import asyncio, unittest, pytest, torch

        def silent(scale=1):
            {body.strip()}

        class Case(unittest.TestCase):
            def test_case(self):
                silent()

            def test_right(self):
                pass

        @pytest.mark.parametrize("scale", [1, 2, 3])
        def test_many(scale):
            silent(scale)

        def test_async():
            async def work():
                await asyncio.sleep(0)
                silent()

            asyncio.run(work())

        def documented():
            '''
            >>> import torch
            >>> y = torch.zeros(3, requires_grad=True).exp()
            >>> _ = y.data.add_(1)
            >>> y.sum().backward()
            '''
        """.replace("\n        y.data", "\n            y.data").replace("\n        y.sum", "\n            y.sum")
    )
    result = pytester.runpytest("-p", "inplace_guard", "--doctest-modules", "--inplace-guard-report=out.json")
    result.assert_outcomes(passed=1, failed=6)
    result.stdout.fnmatch_lines(["IPG201 data-write  *.py:*", "    *::Case::test_case and 4 more"])
    tests = [finding.test or "" for finding in findings(pytester.path / "out.json")]
    assert len(tests) == 6
    assert sum("documented" in test for test in tests) == 1


def test_the_junit_report_has_a_property(files: pytest.Pytester) -> None:
    files.runpytest("-p", "inplace_guard", "--junit-xml=out.xml")
    text = (files.path / "out.xml").read_text()
    assert '<property name="inplace-guard" value="IPG101 saved-tensor-overwritten' in text


@pytest.mark.parametrize("options", [["-n2"], ["-n1", "--dist=loadfile"]])
def test_under_xdist_the_controller_gathers_all(files: pytest.Pytester, options: list[str]) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    result = files.runpytest_subprocess("-p", "inplace_guard", "--inplace-guard-report=out.json", *options)
    result.assert_outcomes(passed=2, failed=2)
    assert {finding.code for finding in findings(files.path / "out.json")} == {"IPG101", "IPG201", "IPG208"}
    result.stdout.fnmatch_lines(["*= inplace-guard =*", "IPG101*", "IPG201*", "IPG208*"])


def test_xdist_and_the_fixture_of_a_passive_plugin(pytester: pytest.Pytester) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    pytester.makepyfile(
        """
        import torch

        def test_it(inplace_guard):
            x = torch.zeros(3)
            x[torch.tensor([1, 1])] += 1
            assert len(inplace_guard.findings) == 1
        """
    )
    result = pytester.runpytest_subprocess("-n1", "--inplace-guard-report=out.json")
    result.assert_outcomes(passed=1)
    assert len(findings(pytester.path / "out.json")) == 1


def test_exit_codes_stay(pytester: pytest.Pytester) -> None:
    assert pytester.runpytest("-p", "inplace_guard").ret == pytest.ExitCode.NO_TESTS_COLLECTED
    pytester.makepyfile(test_right=RIGHT, test_listed=LISTED)
    assert pytester.runpytest("-p", "inplace_guard").ret == pytest.ExitCode.OK
    pytester.makepyfile(test_broken="import nothing_of_that_name")
    assert pytester.runpytest("-p", "inplace_guard").ret == pytest.ExitCode.INTERRUPTED


def test_keyboard_interrupt_in_a_backward(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import torch

        def interrupt(grad):
            raise KeyboardInterrupt

        def test_it():
            y = torch.zeros(3, requires_grad=True).exp()
            x = torch.zeros(3)
            x[torch.tensor([1, 1])] += 1
            y.register_hook(interrupt)
            y.sum().backward()
        """
    )
    result = pytester.runpytest_subprocess("-p", "inplace_guard", "--inplace-guard-report=out.json")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*KeyboardInterrupt*"])
    assert findings(pytester.path / "out.json") == []


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        ("grad=True", "unknown keyword 'grad' of the marker inplace_guard; known: mode, anomaly"),
        ("'sometimes'", "'sometimes' is not one of off, on, fail-fast"),
        ("anomaly='perhaps'", "'perhaps' is not one of auto, on, off"),
        ("content='yes'", "'yes' is neither true nor false"),
        ("allow=['IPG999']", "no rule 'IPG999'"),
        ("expect=['nothing']", "no rule 'nothing'"),
        ("'on', 'off'", "takes one positional argument"),
    ],
)
def test_a_wrong_marker_is_told_and_only_its_test_fails(pytester: pytest.Pytester, marker: str, text: str) -> None:
    pytester.makepyfile(
        f"""
        import pytest

        @pytest.mark.inplace_guard({marker})
        def test_wrong():
            pass

        def test_other():
            pass
        """
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=1, errors=1)
    assert text in result.stdout.str()


@pytest.mark.parametrize(
    ("options", "ini", "text"),
    [
        (["--inplace-guard=maybe"], "", "invalid choice: 'maybe'"),
        (["--inplace-guard-anomaly=maybe"], "", "invalid choice: 'maybe'"),
        ([], "inplace_guard = maybe", "'maybe' is not one of off, on, fail-fast"),
        (["-p", "inplace_guard"], "inplace_guard_content = maybe", "'maybe' is neither true nor false"),
        (["--inplace-guard-raise-on=IPG999"], "", "no rule 'IPG999'"),
        (["-p", "inplace_guard"], "inplace_guard_anomaly = maybe", "'maybe' is not one of auto, on, off"),
        (["--inplace-guard-report=no/such/folder/out.json"], "", "cannot write"),
        (["--inplace-guard-report=."], "", "cannot write"),
    ],
)
def test_a_wrong_option_ends_the_run_at_once(files: pytest.Pytester, options: list[str], ini: str, text: str) -> None:
    files.makeini(f"[pytest]\n{ini}\n")
    result = files.runpytest(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert text in result.stderr.str() + result.stdout.str()
    assert "passed" not in result.stdout.str()


def test_a_guard_left_open_is_closed_and_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import torch
        from inplace_guard import frozen, guard

        kept = []
        weight = torch.zeros(3)

        def test_leaves():
            kept.append(guard().__enter__())
            kept.append(frozen(weight).__enter__())

        def test_next():
            assert torch.overrides._len_torch_function_stack() == 1
            weight.add_(1)
        """
    )
    result = pytester.runpytest("-p", "inplace_guard")
    result.assert_outcomes(passed=2, warnings=1)
    result.stdout.fnmatch_lines(["*test_leaves left 2 guard(s) of inplace_guard open*"])


def test_markers_are_registered(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import pytest\n@pytest.mark.inplace_guard\ndef test_it(): pass\n")
    pytester.runpytest("--strict-markers").assert_outcomes(passed=1)
    result = pytester.runpytest("--markers")
    result.stdout.fnmatch_lines(
        ["*inplace_guard(mode=None, anomaly=None, content=None, allow=(), raise_on=(), expect=())*"]
    )


def test_importing_the_plugin_imports_no_torch(python_imports: Any) -> None:
    assert "torch" not in python_imports("inplace_guard.pytest_plugin")
    assert "torch" not in python_imports("inplace_guard")
    assert "torch" not in python_imports("inplace_guard.runtime")
    assert "torch" not in python_imports("inplace_guard.runtime.testing.plugin")


def test_a_suite_without_torch_stays_without(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            assert "torch" not in sys.modules

        def test_again():
            assert "torch" not in sys.modules
        """
    )
    pytester.runpytest_subprocess("-p", "inplace_guard").assert_outcomes(passed=2)


def test_a_torch_imported_inside_of_a_test_is_seen(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import sys

        def test_it():
            assert "torch" not in sys.modules
            import torch

            assert type(torch.__spec__.loader).__module__ == "_frozen_importlib_external"
            y = torch.zeros(3, requires_grad=True).exp()
            y.data.add_(1)
            y.sum().backward()
        """
    )
    result = pytester.runpytest_subprocess("-p", "inplace_guard")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*InplaceHazardError*"])


def test_where_torch_is_missing_nothing_breaks(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(torch="raise ImportError('no torch here')")
    pytester.makepyfile(
        test_it="""
        import pytest

        def test_it(inplace_guard):
            with pytest.raises(ImportError, match="no torch here"):
                import torch
            assert inplace_guard.findings == []
        """
    )
    result = pytester.runpytest_subprocess("-p", "inplace_guard", "test_it.py")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["inplace-guard: torch was not imported, so nothing was guarded"])
