"""`--inplace-guard-html`: a page for each failing test with a hazard, and an index; nothing for the others."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.nn.modules import module

import inplace_guard.runtime.guard
import inplace_guard.runtime.tape
import inplace_guard.runtime.testing.plugin

assert torch
assert inplace_guard.runtime.tape  # all here, for the same reason: what a run within a run imports is forgotten

TESTS = """
    import pytest
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])

        def forward(self, x):
            for layer in self.layers:
                x = layer(x).tanh()
            return x

    def step(spoil):
        torch.manual_seed(0)
        h = Net()(torch.ones(1, 4))
        loss = (h + 1).sin().sum()
        spoil(h)
        return loss

    def test_raises():
        step(lambda h: h.add_(1)).backward()

    def test_silent():
        step(lambda h: h.data.add_(1)).backward()

    def test_wrapped():
        try:
            step(lambda h: h.add_(1)).backward()
        except RuntimeError as error:
            raise ValueError("the step failed") from error

    def test_right():
        step(lambda h: None).backward()

    def test_other():
        assert step(lambda h: None) is None

    def test_foreseen():
        with pytest.raises(RuntimeError):
            step(lambda h: h.add_(1)).backward()

    def test_handled():
        try:
            step(lambda h: h.add_(1)).backward()
        except RuntimeError:
            pass
        assert False
"""


@pytest.fixture
def tests(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_it=TESTS)
    return pytester


def pages(folder: Path) -> dict[str, Any]:
    """The data of each page, by the name of its test."""
    found = {}
    for path in folder.glob("test-it*.html"):
        data = re.search(r'id="tape">(.*?)</script>', path.read_text(), re.DOTALL)
        assert data is not None
        document = json.loads(data[1])
        found[document["title"].removeprefix("test_it.py::")] = document
    return found


def test_a_page_for_each_failing_test_with_a_hazard(tests: pytest.Pytester) -> None:
    result = tests.runpytest("-p", "inplace_guard", "--inplace-guard-html=out/pages")
    result.assert_outcomes(passed=2, failed=5)
    found = pages(tests.path / "out" / "pages")
    assert set(found) == {"test_raises", "test_silent", "test_wrapped", "test_handled"}
    result.stdout.fnmatch_lines([f"pages in {tests.path / 'out' / 'pages'}"])
    index = (tests.path / "out" / "pages" / "index.html").read_text()
    assert "4 failing tests with an in-place hazard" in index
    for link in re.findall(r'<a href="([^"]+)"', index):
        assert (tests.path / "out" / "pages" / link).is_file()
    check_contents(found)
    assert not module._global_forward_pre_hooks
    assert not module._global_forward_hooks


def check_contents(found: dict[str, Any]) -> None:
    for name, code in (("test_raises", "IPG101"), ("test_silent", "IPG201"), ("test_wrapped", "IPG101")):
        page = found[name]
        assert [finding["code"] for finding in page["findings"]] == [code]
        finding = page["findings"][0]
        assert all(finding[role]["path"].endswith("test_it.py") for role in ("write", "saved", "needed"))
        nodes = page["nodes"]
        assert page["totals"]["nodes"] == 9
        assert {"layers.0", "layers.1"} <= {node["module"] for node in nodes}  # although the model has died
        assert all(node["site"] is not None for node in nodes if node["leaf"] is None)
        assert {node["leaf"] for node in nodes} >= {"layers.0.weight", "layers.1.bias"}
        broken = {node["kind"] for node in nodes if any(save["clobbered"] for save in node["saved"])}
        assert "TanhBackward0" in broken
        assert any(write["broke"] for storage in page["storages"] for write in storage["writes"])
    assert found["test_handled"]["nodes"] == []  # its backward is over and gone; the lines are known all the same
    assert found["test_handled"]["findings"][0]["code"] == "IPG101"


def test_without_a_guard_there_are_no_pages(tests: pytest.Pytester) -> None:
    result = tests.runpytest("--inplace-guard-html=out")
    assert pages(tests.path / "out") == {}
    assert "0 failing tests" in (tests.path / "out" / "index.html").read_text()
    result.assert_outcomes(passed=3, failed=4)


@pytest.mark.slow
def test_with_several_processes(tests: pytest.Pytester) -> None:
    pytest.importorskip("xdist")
    result = tests.runpytest("-p", "inplace_guard", "-n", "2", "--inplace-guard-html=out")
    result.assert_outcomes(passed=2, failed=5)
    assert len(pages(tests.path / "out")) == 4
    assert (tests.path / "out" / "index.html").read_text().count("<a href=") == 4


def test_from_the_ini_file(tests: pytest.Pytester) -> None:
    tests.makeini("[pytest]\ninplace_guard = on\ninplace_guard_html = pages\n")
    tests.runpytest("-k", "raises")
    assert set(pages(tests.path / "pages")) == {"test_raises"}


def test_a_folder_that_cannot_be_written(tests: pytest.Pytester) -> None:
    (tests.path / "file").touch()
    result = tests.runpytest("-p", "inplace_guard", "--inplace-guard-html=file/pages")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --inplace-guard-html: cannot write to *file/pages: Not a directory"])


def test_a_page_that_fails_is_a_warning(tests: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("inplace_guard.runtime.testing.plugin.Pages.write", fail)
    result = tests.runpytest("-p", "inplace_guard", "--inplace-guard-html=out", "-k", "raises")
    result.assert_outcomes(failed=1, warnings=1)
    result.stdout.fnmatch_lines(["*inplace-guard: no page for test_it.py::test_raises in *No space left on device*"])


def test_compiled_models_run_as_without(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import torch
        from torch import nn

        def test_compiled():
            model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
            compiled = torch.compile(model, backend="eager", fullgraph=True)
            compiled(torch.ones(1, 4)).sum().backward()
            assert model[0].weight.grad is not None
        """
    )
    pytester.runpytest_subprocess("-p", "inplace_guard", "--inplace-guard-html=out").assert_outcomes(passed=1)
