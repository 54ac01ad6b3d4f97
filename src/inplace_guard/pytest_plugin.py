"""The pytest plugin. Importing it imports neither torch nor anything else of weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from inplace_guard.runtime.testing.plugin import Plugin

_NAMES = {"inplace_guard", "inplace_guard.pytest_plugin"}
_WORKING = "inplace_guard_runtime"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("inplace-guard", "in-place writes that break autograd")
    group.addoption(
        "--inplace-guard",
        choices=("off", "on", "fail-fast"),
        default=None,
        help="off; on: explain failing backwards and find silent hazards (every test, if the plugin is named with -p); "
        "fail-fast: raise at the write itself",
    )
    group.addoption(
        "--inplace-guard-anomaly",
        choices=("auto", "on", "off"),
        default=None,
        help="PyTorch's own anomaly mode; auto: on where a test asks for the fixture inplace_guard by name",
    )
    group.addoption(
        "--inplace-guard-content",
        action="store_true",
        default=None,
        help="compare the contents of every saved tensor too (slow; finds writes that nothing else sees)",
    )
    group.addoption(
        "--inplace-guard-raise-on",
        metavar="CODES",
        default=None,
        help="rules or families, with commas, that fail the test even where they would only be listed",
    )
    group.addoption("--inplace-guard-report", metavar="FILE", default=None, help="write all findings to FILE as JSON")
    group.addoption(
        "--inplace-guard-html",
        metavar="DIR",
        default=None,
        help="write a page about each failing test with a hazard into DIR: its graph, lifetimes, memory",
    )
    parser.addini("inplace_guard", "off, on or fail-fast", default=None)
    parser.addini("inplace_guard_anomaly", "auto, on or off", default=None)
    parser.addini("inplace_guard_content", "true or false", default=None)
    parser.addini("inplace_guard_raise_on", "rules or families that fail the test wherever they show", default=None)
    parser.addini("inplace_guard_report", "file for the findings as JSON", default=None)
    parser.addini("inplace_guard_html", "folder for a page about each failing test with a hazard", default=None)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        "inplace_guard(mode=None, anomaly=None, content=None, allow=(), raise_on=(), expect=()): watch this test for "
        "in-place writes that break autograd; `allow`, `raise_on` and `expect` take rule codes",
    )
    if _wanted(config):
        _plugin(config)


def _wanted(config: pytest.Config) -> bool:
    """Whether anything was asked for that concerns the whole run."""
    return (
        _named(config)
        or config.getoption("--inplace-guard") is not None
        or config.getoption("--inplace-guard-raise-on") is not None
        or config.getoption("--inplace-guard-report") is not None
        or config.getoption("--inplace-guard-html") is not None
        or bool(config.getini("inplace_guard"))
        or bool(config.getini("inplace_guard_report"))
        or bool(config.getini("inplace_guard_html"))
    )


def _named(config: pytest.Config) -> bool:
    import os

    environment = (os.environ.get("PYTEST_PLUGINS") or "").replace(" ", "").split(",")
    return bool(_NAMES & {*(getattr(config.option, "plugins", None) or ()), *environment})


def _plugin(config: pytest.Config) -> Plugin:
    """The working part, made when it is first needed."""
    plugin: Any = config.pluginmanager.get_plugin(_WORKING)
    if plugin is None:
        from inplace_guard.runtime.testing.plugin import Plugin

        plugin = Plugin(config, named=_named(config))
        config.pluginmanager.register(plugin, _WORKING)
    return plugin  # type: ignore[no-any-return]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.pluginmanager.get_plugin(_WORKING) is None and any(
        item.get_closest_marker("inplace_guard") or "inplace_guard" in getattr(item, "fixturenames", ())
        for item in items
    ):
        _plugin(config)


@pytest.fixture
def inplace_guard(request: pytest.FixtureRequest) -> Any:
    """The guard of this test; `.findings` lists what it has found so far."""
    return _plugin(request.config).guard_of_test()
