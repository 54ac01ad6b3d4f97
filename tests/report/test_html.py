"""The page of a tape: it is one file that needs nothing else, and a browser shows what the tape says."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from inplace_guard.findings import Finding, Site
from inplace_guard.report.html import page
from inplace_guard.report.html.bounded import MOST_BARS, MOST_NODES, MOST_POINTS, bounded
from inplace_guard.report.html.index import index
from inplace_guard.runtime.tape import tape
from inplace_guard.runtime.tape.observe import observe
from minigpt_fixture.tape import loss as minigpt_loss

from . import browser as browsers


@cache
def document(name: str) -> dict[str, Any]:
    if name == "gpt2":
        return observe(twelve_layers, "GPT-2 small, narrow").document()
    return observe(lambda: minigpt_loss(name), f"mini-GPT, {name}").document()


def twelve_layers() -> torch.Tensor:
    """GPT-2 small but for its width: the graph is the same."""
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(n_embd=24, vocab_size=64, n_positions=16))
    tokens = torch.arange(8)[None]
    loss: torch.Tensor = model(input_ids=tokens, labels=tokens).loss
    return loss


def data_of(text: str) -> Any:
    found = re.search(r'<script type="application/json" id="tape">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_page_needs_nothing_else() -> None:
    text = page(document("residual-add"))
    assert not re.search(r"<(script|img|iframe|link)[^>]* (src|href)=[\"'](?!data:,|#)", text)
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")
    assert "sourceMappingURL" not in text
    assert "Content-Security-Policy" in text


def test_the_licences_of_the_libraries_go_with_them() -> None:
    text = page(document("none"))
    assert "Copyright 2010-2026 Mike Bostock" in text
    assert "Permission to use, copy, modify, and/or distribute this software" in text
    assert "Copyright (c) 2012-2014 Chris Pettitt" in text
    assert "Permission is hereby granted, free of charge" in text


def test_text_of_the_program_cannot_break_out() -> None:
    strange = type("</script><b>@DATA@", (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 1)})
    found = tape(strange.apply(torch.ones(1, requires_grad=True)))  # type: ignore[attr-defined]
    text = page({**found.to_json(), "title": "<i>&</i> @SCRIPTS@ </script>"})
    assert "<title>&lt;i&gt;&amp;&lt;/i&gt; @SCRIPTS@ &lt;/script&gt; - inplace-guard</title>" in text
    data = data_of(text)
    assert data["title"] == "<i>&</i> @SCRIPTS@ </script>"
    assert data["nodes"][0]["name"] == "</script><b>@DATA@Backward"


def test_sites_are_written_once() -> None:
    data = bounded(document("none"))
    lines = {(site["path"], site["line"], site["column"], site["op"], site["module"]) for site in data["sites"]}
    assert len(lines) == len(data["sites"])
    by_number = {node["number"]: node for node in document("none")["nodes"]}
    for node in data["nodes"]:
        site = data["sites"][node["site"]] if node["site"] is not None else None
        assert site == by_number[node["number"]]["site"]


def test_a_large_graph_is_bounded_and_says_so() -> None:
    x = torch.ones(2, requires_grad=True)
    h = x
    for _ in range(3 * MOST_NODES):
        h = h * x
    small = bounded(tape(h.sum()).to_json())
    assert len(small["nodes"]) == MOST_NODES
    assert len(small["lifetimes"]["bars"]) == MOST_BARS
    assert len(small["lifetimes"]["curve"]) <= MOST_POINTS
    assert max(small["lifetimes"]["curve"]) == small["totals"]["peak_bytes"]
    assert small["totals"]["nodes"] == 3 * MOST_NODES + 1
    assert [notice.split(",")[0][:4] for notice in small["notices"]] == ["Of 8", "Of 9"]


def test_what_was_overwritten_is_never_left_out() -> None:
    x = torch.ones(2, requires_grad=True)
    hit = x.exp()
    h = hit.sin()
    hit.add_(1)
    for _ in range(2 * MOST_NODES):
        h = h * x
    small = bounded(tape(h.sum()).to_json())
    assert {node["number"] for node in small["nodes"]} >= {1, 2}
    assert any(bar["born"] == 1 for bar in small["lifetimes"]["bars"])


def test_the_index_lists_the_pages() -> None:
    finding = Finding("IPG101", "rule", "runtime", "certain", "a < b", Site("x.py", 1))
    text = index([("test_a.py::test[<1>]", "a.html", [finding, finding])])
    assert text.count('<a href="a.html">test_a.py::test[&lt;1&gt;]</a>') == 1
    assert text.count("a &lt; b") == 2
    assert "1 failing test with an in-place hazard" in text


# What a person sees.


@pytest.fixture(scope="module")
def browser() -> Iterator[browsers.Browser]:
    if (reason := browsers.missing()) is not None:
        pytest.skip(reason)
    found = browsers.Browser()
    yield found
    found.close()


@pytest.fixture
def show(browser: browsers.Browser, tmp_path: Path) -> Iterator[Any]:
    """Opens the page of a document; afterwards nothing may have been loaded, and nothing complained of."""

    def show(name: str, fragment: str = "", *, dark: bool = False) -> browsers.Browser:
        path = tmp_path / f"{name}.html"
        path.write_text(page(document(name)), encoding="utf-8")
        browser.dark(dark)
        browser.open(path, fragment)
        return browser

    yield show
    assert browser.complaints() == []
    assert browser.run("return performance.getEntriesByType('resource').length") == 0


def test_a_bar_for_each_storage_from_save_to_free(show: Any) -> None:
    browser = show("none")
    browsers.keep(browser, "minigpt")
    bars = document("none")["lifetimes"]["bars"]
    drawn = browser.run(
        "return [...document.querySelectorAll('#memory .row')].map((row) => [Number(row.dataset.storage),"
        " ...['x', 'width'].map((name) => Number(row.querySelector('.bar').getAttribute(name)))])"
    )
    assert {storage for storage, _, _ in drawn} == {bar["storage"] for bar in bars}
    ends = {storage: (left, left + width) for storage, left, width in drawn}
    left, right = min(x for x, _ in ends.values()), max(x for _, x in ends.values())
    steps = 2 * 119 - 0.5  # from the middle of the first step to the end of the last
    for bar in bars:
        born, died = ends[bar["storage"]]
        assert born == pytest.approx(left + (bar["born"] - 1) / steps * (right - left), abs=0.5)
        assert died == pytest.approx(left + (119 + bar["died"] - 0.5) / steps * (right - left), abs=0.5)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_mini_gpt_fits_on_one_screen(show: Any, dark: bool) -> None:
    browser = show("residual-add", dark=dark)
    browsers.keep(browser, f"residual-add-{'dark' if dark else 'light'}")
    inside = (
        "const box = document.querySelector(arguments[0]).getBoundingClientRect(); return box.bottom <= innerHeight"
    )
    assert browser.run(inside, "#memory .bars")
    assert browser.run(inside, "#memory .curve")
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    contrast = browser.run(
        "return ['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name])"
    )  # fmt: skip
    ink, paper = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in contrast)
    assert (ink > paper) is dark
    assert abs(ink - paper) > 400


def test_a_click_on_what_was_overwritten_shows_the_three_lines(show: Any) -> None:
    browser = show("residual-add")
    assert browser.count("#memory .bar.bad") == 2  # one in the list, one in the key
    assert browser.count("#memory .row .write.bad") == 4
    browser.click("#memory .row:has(.bar.bad) .bar")
    sites = browser.run("return [...document.querySelectorAll('aside .site')].map((site) => site.innerText)")
    assert [site.split()[0] for site in sites] == ["wrote", "saved", "needed"]
    wrote, saved, needed = sites
    assert "residual_add.py:22 in blocks.1" in wrote
    assert "h.add_(self.ffn(self.ln2(h)))" in wrote
    assert "residual_add.py:22 in blocks.1.ln2" in saved
    assert "NativeLayerNormBackward0" in saved
    assert "backward step" in needed
    browsers.keep(browser, "residual-add-clicked")
    browser.click("aside .site.saved a")
    assert "NativeLayerNormBackward0" in browser.text("aside h2")


def test_the_keyboard_does_what_the_mouse_does(show: Any) -> None:
    browser = show("residual-add")
    browser.run(
        "const row = document.querySelector('#memory .row:has(.bar.bad)'); row.focus();"
        "row.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
    )
    browser.settle()
    assert "Overwritten after it was saved" in browser.text("aside")


def test_hazards_are_named_at_the_top_and_open(show: Any) -> None:
    browser = show("residual-add")
    assert "IPG101 add_ at residual_add.py:22" in browser.text("header .notice.bad")
    browser.click("header .notice.bad")
    assert browser.text("aside h2").startswith("IPG101")
    assert "fix: write out of place" in browser.text("aside")


def test_the_curve_tells_each_step(show: Any) -> None:
    browser = show("none")
    browser.run(
        "const box = document.querySelector('#memory .curve').getBoundingClientRect();"
        "document.querySelector('#memory .curve').dispatchEvent(new PointerEvent('pointermove',"
        " {clientX: box.left + 592, clientY: box.top + 40, bubbles: true}))"
    )
    assert re.match(r"(forward|backward) of #11[89] \w+: 86.5 KiB", browser.text("#tip"))


def test_the_graph_is_right_and_folds(show: Any) -> None:
    browser = show("residual-add", "#graph")
    browsers.keep(browser, "residual-add-graph")
    assert browser.count("#graph .node.bad") == 4
    folded = browser.count("#graph .node")
    assert folded < 40
    browser.click('#graph [data-group="blocks.0.attn"] text')
    assert browser.count("#graph .node") > folded
    browser.click("#graph .unfold")
    assert browser.count("#graph .node") == 119
    browsers.keep(browser, "residual-add-unfolded")
    edges = {(below, n["number"]) for n in document("residual-add")["nodes"] for below in n["inputs"]}
    assert browser.count("#graph .edge") == len({edge for edge in edges if max(edge) <= 119})
    browser.click("#graph .fold")
    assert browser.count("#graph .node") < folded


def test_boxes_of_the_graph_do_not_overlap(show: Any) -> None:
    browser = show("none", "#graph")
    boxes = browser.run(
        "return [...document.querySelectorAll('#graph .node rect')].map((rect) => {"
        "const box = rect.getBoundingClientRect(); return [box.left, box.top, box.right, box.bottom]})"
    )
    for position, one in enumerate(boxes):
        for other in boxes[position + 1 :]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one, other)


def test_text_of_the_graph_stays_in_its_box(show: Any) -> None:
    browser = show("none", "#graph")
    wider = browser.run(
        "return [...document.querySelectorAll('#graph .node')].filter((node) =>"
        " node.querySelector('text').getBBox().width > node.querySelector('rect').getBBox().width - 4)"
        ".map((node) => node.textContent)"
    )
    assert wider == []


def test_twelve_layers_are_readable_by_folding(show: Any) -> None:
    browser = show("gpt2")
    browsers.keep(browser, "gpt2")
    assert document("gpt2")["totals"]["nodes"] > 600
    assert browser.run("return document.querySelector('#memory .bars').getBoundingClientRect().bottom <= innerHeight")
    labels = browser.run("return [...document.querySelectorAll('#memory .head')].map((text) => text.textContent)")
    assert sum(label.startswith("\u25b8 h.") for label in labels) == 12
    before = browser.count("#memory .row")
    browser.run(
        "[...document.querySelectorAll('#memory .any')].find((row) => row.textContent.includes('h.5 '))"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    assert browser.count("#memory .row") > before + 4
    browser.click('nav a[href="#graph"]')
    browsers.keep(browser, "gpt2-graph")
    assert browser.count("#graph .node") < 45
    smallest = browser.run(
        "return Math.min(...[...document.querySelectorAll('#graph text')].map((text) =>"
        " text.getBoundingClientRect().height))"
    )
    assert smallest > 6


def test_an_address_names_what_is_shown(show: Any) -> None:
    assert "NllLossBackward0" in show("none", "#node=119").text("aside h2")
    assert show("none", "#save=999999").text("aside h3") == "HOW TO READ THIS"
    assert "mini-GPT, none" in show("none", "#nonsense").text("h1")


def test_a_page_without_a_graph(browser: browsers.Browser, tmp_path: Path) -> None:
    path = tmp_path / "empty.html"
    finding = Finding("IPG101", "saved-tensor-overwritten", "runtime", "certain", "told", Site("x.py", 3, op="add_"))
    empty = {**tape(nn.Parameter(torch.ones(1)) * 1).to_json(), "nodes": [], "storages": [], "title": "t"}
    empty["lifetimes"] = {**empty["lifetimes"], "order": [], "bars": [], "curve": []}
    empty["totals"] = {**empty["totals"], "nodes": 0}
    path.write_text(page({**empty, "findings": [finding.to_json()]}))
    browser.open(path)
    browser.click("header .notice.bad")
    assert "x.py:3" in browser.text("aside .site.wrote")
    browser.open(path, "#graph")
    assert browser.complaints() == []
