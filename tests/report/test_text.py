"""Code frames, as plain text."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_guard.findings import Finding, Site
from inplace_guard.report.source import SourceLines, span
from inplace_guard.report.text import frame, summary

MODEL = """\
class Block(nn.Module):
    def forward(self, h):
        a = self.attn(self.ln1(h))
        print(a)
        h.add_(a)  # residual
        return h
"""


def site(source: str, text: str, path: str = "model.py", op: str | None = None, module: str | None = None) -> Site:
    """The site of a piece of text in a source."""
    for number, line in enumerate(source.splitlines(), 1):
        if text in line:
            return Site(path, number, line.index(text) + 1, op, module, line.strip())
    raise AssertionError(text)


def finding(write: Site, saved: Site | None = None, needed: Site | None = None, **more: object) -> Finding:
    values: dict[str, object] = {
        "code": "IPG101",
        "rule": "saved-tensor-overwritten",
        "source": "static",
        "certainty": "certain",
        "message": "`h` is overwritten by add_, but LayerNorm saved it",
    }
    return Finding(**{**values, **more}, write=write, saved=saved, needed=needed)  # type: ignore[arg-type]


def plain(found: Finding, texts: dict[str, str]) -> str:
    return "\n".join(line.plain for line in frame(found, SourceLines(texts)))


def test_three_sites_in_one_file() -> None:
    found = finding(
        site(MODEL, "h.add_(a)", op="add_"),
        site(MODEL, "self.ln1(h)", op="LayerNorm", module="ln1"),
        site(MODEL, "return h", op="backward"),
        details=("use h = h + a",),
    )
    assert plain(found, {"model.py": MODEL}) == "\n".join(
        [
            "error[IPG101]: `h` is overwritten by add_, but LayerNorm saved it",
            " --> model.py:5:9",
            "  |",
            "3 |         a = self.attn(self.ln1(h))",
            "  |                       ----------- saved here by LayerNorm in ln1",
            "4 |         print(a)",
            "5 |         h.add_(a)  # residual",
            "  |         ^^^^^^^^^ written here by add_",
            "6 |         return h",
            "  |         ------ needed here by backward",
            "  |",
            "  = note: use h = h + a",
            "  = help: inplace-guard explain IPG101",
        ]
    )


def test_sites_in_two_files_and_a_gap() -> None:
    train = "\n" * 99 + "loss.backward()\n"
    long = MODEL.replace("        print(a)\n", "        print(a)\n" * 5)
    found = finding(
        site(long, "h.add_(a)"), site(long, "self.ln1(h)"), site(train, "loss.backward()", "train.py", "backward")
    )
    assert plain(found, {"model.py": long, "train.py": train}).splitlines()[1:-1] == [
        "   --> model.py:9:9",
        "    |",
        "  3 |         a = self.attn(self.ln1(h))",
        "    |                       ----------- saved here",
        "...",
        "  9 |         h.add_(a)  # residual",
        "    |         ^^^^^^^^^ written here",
        "    |",
        "   ::: train.py:100:1",
        "    |",
        "100 | loss.backward()",
        "    | --------------- needed here by backward",
        "    |",
    ]


def test_a_function_that_hands_its_result_on() -> None:
    found = finding(site(MODEL, "h.add_(a)"), needed=site(MODEL, "return h", op="return"))
    assert (
        "  |         ------ handed on here: a later backward needs it" in plain(found, {"model.py": MODEL}).splitlines()
    )


def test_two_sites_on_one_line() -> None:
    text = "h.add_(self.ln(h))\n"
    found = finding(site(text, "h.add_"), site(text, "self.ln(h)"))
    assert plain(found, {"model.py": text}).splitlines()[3:6] == [
        "1 | h.add_(self.ln(h))",
        "  | ^^^^^^^^^^^^^^^^^^ written here",
        "  |        ---------- saved here",
    ]


def test_likely_and_opinion_are_said() -> None:
    write = site(MODEL, "h.add_(a)")
    assert plain(finding(write, certainty="likely"), {"model.py": MODEL}).startswith("warning[IPG101] (likely): ")
    assert plain(finding(write, code="IPG901"), {"model.py": MODEL}).startswith("note[IPG901]: ")


@pytest.mark.parametrize("texts", [{}, {"model.py": "something else\n"}], ids=["no file", "changed file"])
def test_without_the_file_the_line_of_the_site_is_shown(
    texts: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = finding(Site("model.py", 5, 9, "add_", source="h.add_(a)"), Site("model.py", 3, 0))
    assert plain(found, texts).splitlines()[2:-1] == [
        "  |",
        "3 |",
        "  | saved here",
        "...",
        "5 | h.add_(a)",
        "  | ^^^^^^^^^ written here by add_",
        "  |",
    ]


def test_paths_below_the_current_folder_are_relative(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    inside, outside = tmp_path / "here" / "a.py", tmp_path / "there.py"
    shown = plain(finding(Site(str(inside), 1, 1), Site(str(outside), 2, 1)), {})
    assert " --> a.py:1:1\n" in shown
    assert f" ::: {outside}:2:1\n" in shown


def test_a_cell_of_a_notebook() -> None:
    found = finding(
        Site("net.ipynb", 2, 1, source="h.add_(a)", cell=7), Site("net.ipynb", 1, 5, source="a = ln(h)", cell=4)
    )
    assert plain(found, {}).splitlines()[1:-1] == [
        " --> net.ipynb:cell 7:2:1",
        "  |",
        "2 | h.add_(a)",
        "  | ^^^^^^^^^ written here",
        "  |",
        " ::: net.ipynb:cell 4:1:5",
        "  |",
        "1 | a = ln(h)",
        "  | --------- saved here",
        "  |",
    ]


def test_tabs_wide_and_control_characters_keep_the_mark_in_place() -> None:
    text = "\t残差 = '\x1b[31m'; h.add_(a)\n"
    shown = plain(finding(site(text, "h.add_(a)")), {"model.py": text}).splitlines()
    assert shown[3] == "1 |     残差 = '�[31m'; h.add_(a)"
    # the two wide characters take two cells each
    assert shown[4].index("^") == shown[3].index("h.add_") + 2
    assert "\x1b" not in "".join(shown)


def test_a_very_long_line_is_cut_around_the_mark() -> None:
    text = f"x = {'1 + ' * 500}h.add_(a){' + 1' * 500}\n"
    shown = plain(finding(site(text, "h.add_(a)")), {"model.py": text}).splitlines()
    assert max(map(len, shown)) < 200
    start = shown[4].index("^")
    assert shown[3][start : start + len("h.add_(a)")] == "h.add_(a)"


def test_reads_the_file_in_its_own_encoding(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes("# coding: latin-1\né = 1; h.add_(a)\r\n".encode("latin-1"))
    found = finding(Site(str(path), 2, 8, source="é = 1; h.add_(a)"))
    assert "2 | é = 1; h.add_(a)" in plain(found, {})


@pytest.mark.parametrize(
    ("text", "marked"),
    [
        ("h.add_(a)  # x", "h.add_(a)"),
        ("x += y * 2  # x", "x += y * 2"),
        ("x[i, ')'] = f(y)", "x[i, ')'] = f(y)"),
        ("x == y", "x"),
        ("F.relu_(x) + y", "F.relu_(x)"),
        ("h.add_(", "h.add_("),
        ("h.add_(  # why", "h.add_("),
        ('f("a)#", b)[0].mul_(2); y', 'f("a)#", b)[0].mul_(2)'),
        ("x.y **= 2; z", "x.y **= 2"),
        ("(a + b).add_(c)", "(a + b).add_(c)"),
        ("-x", "-"),
        ("x if y else z", "x"),
        ("", ""),
    ],
)
def test_span(text: str, marked: str) -> None:
    assert text[: span(text, 0)] == marked


def test_summary() -> None:
    write = Site("a.py", 1)
    assert summary([], 1, 0, 0) == "No findings; 1 file checked."
    assert summary([], 2, 0, 1) == "No findings; 2 files checked, 1 could not be."
    assert summary([], 2, 3, 1) == "No findings; 2 files checked, 3 skipped, 1 could not be."
    found = [finding(write), finding(write, certainty="likely")]
    assert summary(found, 3, 0, 0) == "2 findings (1 certain, 1 likely) in 1 file; 3 files checked."
