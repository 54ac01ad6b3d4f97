"""The working part of the pytest plugin: a watch around each test, its findings in its report."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any

import pytest

from inplace_guard.findings import Finding
from inplace_guard.runtime.testing.choices import ChoiceError, Choices, choose, flag
from inplace_guard.runtime.testing.collect import PROPERTY, Collected, from_property, to_property
from inplace_guard.runtime.testing.watch import Watch

__all__ = ["Plugin"]


class Plugin:
    def __init__(self, config: pytest.Config, *, named: bool) -> None:
        self._config = config
        self._named = named
        self._watch = Watch()
        self._collected = Collected()
        self._told = 0
        self._expected: list[Finding] = []
        try:
            self._options = {
                "mode": config.getoption("--inplace-guard"),
                "anomaly": config.getoption("--inplace-guard-anomaly"),
                "content": config.getoption("--inplace-guard-content"),
            }
            self._ini = {
                "mode": config.getini("inplace_guard") or None,
                "anomaly": config.getini("inplace_guard_anomaly") or None,
                "content": flag(config.getini("inplace_guard_content")),
            }
            choose(self._options, None, self._ini, named=named, fixture=False)
        except ChoiceError as error:
            raise pytest.UsageError(str(error)) from None
        report = config.getoption("--inplace-guard-report") or config.getini("inplace_guard_report") or None
        self._report = self._checked(report) if report is not None and not hasattr(config, "workerinput") else None

    def _checked(self, name: str) -> Path:
        path = Path(self._config.invocation_params.dir, name)
        try:
            if path.is_dir():
                raise IsADirectoryError("it is a directory")
            if not path.parent.is_dir():
                raise FileNotFoundError(f"there is no directory {path.parent}")
            path.touch()
        except OSError as error:
            reason = error.strerror or str(error)
            raise pytest.UsageError(f"--inplace-guard-report: cannot write {path}: {reason}") from None
        return path

    def check_markers(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            try:
                self._choices(item)
            except ChoiceError as error:
                raise pytest.UsageError(f"{item.nodeid}: {error}") from None

    def _choices(self, item: pytest.Item) -> Choices:
        marker: dict[str, Any] | None = None
        for mark in reversed(list(item.iter_markers("inplace_guard"))):
            marker = marker or {}
            if len(mark.args) > 1:
                raise ChoiceError("the marker inplace_guard takes one positional argument, the mode")
            if mark.args:
                marker["mode"] = mark.args[0]
            marker.update(mark.kwargs)
        fixture = "inplace_guard" in getattr(item, "fixturenames", ())
        return choose(self._options, marker, self._ini, named=self._named, fixture=fixture)

    def guard_of_test(self) -> Any:
        return self._watch.handle()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        choices = self._choices(item)
        if choices.mode == "off":
            return (yield)
        self._told = 0
        self._expected = []
        self._watch.start(choices)
        try:
            return (yield)
        finally:
            self._watch.stop()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        expect = self._choices(item).expect
        if not expect:
            yield
            return
        try:
            yield
        except RuntimeError as error:
            own = [found for found in self._watch.findings if found.code in expect]
            if not own or not hasattr(error, "_inplace_guard_findings"):
                raise
        found = {finding.code for finding in self._watch.findings}
        self._expected = [finding for finding in self._watch.findings if finding.code in expect]
        if not found & expect:
            pytest.fail(f"inplace-guard: expected {', '.join(sorted(expect))}, found none of it", pytrace=False)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        findings = [finding for finding in self._watch.findings if finding not in self._expected]
        if new := findings[self._told :]:
            report.sections.append(("inplace-guard", _frames(new)))
            self._told = len(findings)
            item.user_properties[:] = [entry for entry in item.user_properties if entry[0] != PROPERTY]
            item.user_properties.append(to_property(findings))
            report.user_properties = list(item.user_properties)
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Runs in the process that prints the results, so under xdist in the controller."""
        if report.when == "teardown" and not hasattr(self._config, "workerinput"):
            for name, value in report.user_properties:
                if name == PROPERTY:
                    self._collected.add(report.nodeid, from_property(str(value)))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._report is not None:
            try:
                self._collected.write(self._report)
            except OSError as error:
                self._config.issue_config_time_warning(
                    pytest.PytestWarning(f"inplace-guard: cannot write {self._report}: {error.strerror}"), stacklevel=2
                )

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        groups = self._collected.by_site()
        if not groups:
            return
        terminalreporter.section("inplace-guard")
        for finding, tests in groups:
            where = finding.write
            terminalreporter.line(
                f"{finding.code} {finding.rule}  {where.path}:{where.line}  {where.source or where.op}"
            )
            more = f" and {len(tests) - 1} more tests" if len(tests) > 1 else ""
            terminalreporter.line(f"    {tests[0]}{more}")


def _frames(findings: Sequence[Finding]) -> str:
    from inplace_guard.report.text import frame

    return "\n\n".join("\n".join(line.plain for line in frame(finding)) for finding in findings)
