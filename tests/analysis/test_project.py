"""Which file an import leads to, and what happens if that file cannot be followed."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_guard.analysis import Analysis, analyze
from inplace_guard.analysis import project as projects
from inplace_guard.analysis.project import Project, roots_of

HELPER = "def accumulate(x, y):\n    x.add_(y)\n    return x\n"
BLOCK = """\
import torch
from torch import nn
{imports}

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        h = self.proj(x)
        y = self.norm(h)
        {call}(h, y)
        return h
"""


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / (name.replace("__init__", "@").replace("__", "/").replace("@", "__init__") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def block(imports: str, call: str = "accumulate") -> str:
    return BLOCK.format(imports=imports, call=call)


def analysed(path: Path, *roots: Path) -> Analysis:
    return analyze(path.read_text(), str(path), project=Project(map(str, roots)))


def codes(path: Path, *roots: Path) -> list[str]:
    analysis = analysed(path, *roots)
    assert not [note for note in analysis.notes if "error" in note]
    return [finding.code for finding in analysis.findings]


# Ways to import


@pytest.mark.parametrize(
    ("imports", "call"),
    [
        ("from pkg.ops.helpers import accumulate", "accumulate"),
        ("from pkg.ops.helpers import accumulate as add", "add"),
        ("from ..ops.helpers import accumulate", "accumulate"),
        ("from ..ops import helpers", "helpers.accumulate"),
        ("from .. import ops\nimport pkg.ops.helpers", "ops.helpers.accumulate"),
        ("import pkg.ops.helpers", "pkg.ops.helpers.accumulate"),
        ("import pkg.ops.helpers as ops", "ops.accumulate"),
        ("from pkg.ops.helpers import *", "accumulate"),
        ("from pkg.ops import accumulate", "accumulate"),
        ("from .again import accumulate", "accumulate"),
        ("from .again import *", "accumulate"),
        ("from . import again", "again.accumulate"),
        ("from .renamed import renamed", "renamed"),
        (
            "try:\n    from fast import accumulate\nexcept ImportError:\n    from ..ops.helpers import accumulate",
            "accumulate",
        ),
        ("from ..ops.helpers import accumulate\nadd = accumulate", "add"),
        ("from functools import partial\nfrom ..ops.helpers import accumulate\nadd = partial(accumulate)", "add"),
    ],
)
def test_ways_to_import(tmp_path: Path, imports: str, call: str) -> None:
    write(
        tmp_path,
        pkg____init__="",
        pkg__ops____init__="from .helpers import accumulate\n",
        pkg__ops__helpers=HELPER,
        pkg__model____init__="",
        pkg__model__again="from ..ops.helpers import *\n",
        pkg__model__renamed="import pkg.ops.helpers as h\n\nrenamed = h.accumulate\n",
        pkg__model__block=block(imports, call),
    )
    assert codes(tmp_path / "pkg" / "model" / "block.py") == ["IPG101"]


def test_an_import_inside_a_function(tmp_path: Path) -> None:
    text = block("").replace("        accumulate(", "        from helpers import accumulate\n        accumulate(")
    write(tmp_path, helpers=HELPER, block=text)
    assert codes(tmp_path / "block.py") == ["IPG101"]


def test_a_name_of_the_package_comes_before_its_module(tmp_path: Path) -> None:
    write(
        tmp_path,
        pkg____init__="from .accumulate import accumulate\n",
        pkg__accumulate=HELPER,
        pkg__block=block("from pkg import accumulate"),
    )
    assert codes(tmp_path / "pkg" / "block.py") == ["IPG101"]


def test_names_that_all_leaves_out_do_not_come_with_a_star(tmp_path: Path) -> None:
    write(tmp_path, helpers=HELPER + "__all__ = []\n", block=block("from helpers import *"))
    assert codes(tmp_path / "block.py") == []


def test_torch_through_a_file_of_the_project(tmp_path: Path) -> None:
    write(
        tmp_path,
        compat="from torch import nn\nfrom torch.nn import LayerNorm as Norm\n",
        block=block("")
        .replace("from torch import nn", "from compat import Norm, nn")
        .replace("nn.LayerNorm", "Norm")
        .replace("accumulate(h, y)", "h += y"),
    )
    assert codes(tmp_path / "block.py") == ["IPG101"]


# Where packages are looked for


def test_a_script_sees_what_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path, helpers=HELPER, script=block("from helpers import accumulate"))
    assert codes(tmp_path / "script.py") == ["IPG101"]


@pytest.mark.parametrize("mark", ["pyproject.toml", "setup.py", ".git"])
@pytest.mark.parametrize("folder", ["src/pkg", "pkg"])
def test_tests_and_scripts_see_the_packages_of_their_project(tmp_path: Path, mark: str, folder: str) -> None:
    (tmp_path / mark).touch()
    (tmp_path / folder).mkdir(parents=True)
    (tmp_path / folder / "__init__.py").touch()
    (tmp_path / folder / "helpers.py").write_text(HELPER)
    write(tmp_path, tests__unit__test_block=block("from pkg.helpers import accumulate"))
    assert codes(tmp_path / "tests" / "unit" / "test_block.py") == ["IPG101"]


def test_roots_that_are_handed_in(tmp_path: Path) -> None:
    write(
        tmp_path, lib__pkg____init__="", lib__pkg__helpers=HELPER, app__main=block("from pkg.helpers import accumulate")
    )
    path = tmp_path / "app" / "main.py"
    assert codes(path) == []
    assert codes(path, tmp_path / "lib") == ["IPG101"]


def test_roots_of_a_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, src__pkg____init__="", script="")
    assert roots_of(["."]) == (str(tmp_path), str(tmp_path / "src"))
    assert roots_of(["script.py", "src/pkg", "gone"]) == ()


def test_installed_packages_are_not_followed(tmp_path: Path) -> None:
    site = tmp_path / "venv" / "lib" / "site-packages"
    write(site, other____init__="", other__helpers=HELPER, pkg____init__="")
    write(site, pkg__block=block("from other.helpers import accumulate"))
    (tmp_path / "pyproject.toml").touch()
    assert codes(site / "pkg" / "block.py") == []


@pytest.mark.parametrize("name", ["torch", "math", "numpy"])
def test_a_file_that_hides_a_known_module(tmp_path: Path, name: str) -> None:
    write(tmp_path, **{name: HELPER}, block=block(f"from {name} import accumulate"))
    write(tmp_path, usual=block("").replace("accumulate(h, y)", "h += y"))
    assert codes(tmp_path / "block.py") == []
    assert codes(tmp_path / "usual.py") == ["IPG101"]


# Files that cannot be followed


@pytest.mark.parametrize(
    "text",
    [
        b"def accumulate(x, y:\n",
        b"\xff\xfe\x00",
        "# é\n".encode("latin-1") + HELPER.encode(),
        b"# -*- coding: nonsense -*-\n" + HELPER.encode(),
        HELPER.encode() + b"\0",
        b"",
        b"accumulate = " + b"(" * 500 + b")" * 500,
        b"from helpers import accumulate\n",
        b"from helpers import *\n",
        b"from block import accumulate\n",
        b"from block import *\n",
        b"import block\naccumulate = block.accumulate\n",
        b"accumulate = accumulate\n",
        b"class accumulate(accumulate):\n    pass\n",
        b"import block\nclass accumulate(block.Block):\n    pass\n",
        b"def accumulate(x, y):\n    return accumulate(x, y)\n",
    ],
)
def test_what_cannot_be_followed_is_opaque(tmp_path: Path, text: bytes) -> None:
    write(tmp_path, block=block("from helpers import *\nfrom helpers import accumulate"))
    (tmp_path / "helpers.py").write_bytes(text)
    assert codes(tmp_path / "block.py") == []
    write(tmp_path, block=block("from helpers import accumulate").replace("accumulate(h, y)", "h += accumulate(y, h)"))
    assert "IPG101" in codes(tmp_path / "block.py") or b"class" in text


@pytest.mark.parametrize(
    "imports", ["from gone import accumulate", "from ... import accumulate", "from .....a import b"]
)
def test_what_is_not_there_is_opaque(tmp_path: Path, imports: str) -> None:
    write(tmp_path, pkg____init__="", pkg__block=block(imports))
    assert codes(tmp_path / "pkg" / "block.py") == []


def test_a_folder_with_the_name_of_a_module(tmp_path: Path) -> None:
    write(tmp_path, block=block("from helpers import accumulate"))
    (tmp_path / "helpers.py").mkdir()
    assert codes(tmp_path / "block.py") == []


def test_a_script_in_a_package_finds_its_neighbours(tmp_path: Path) -> None:
    script = block("from helpers import accumulate")
    write(tmp_path, pkg____init__="", pkg__helpers=HELPER, pkg__block=script)
    assert codes(tmp_path / "pkg" / "block.py") == []
    write(tmp_path, pkg__block=script + '\n\nif __name__ == "__main__":\n    print(Block())\n')
    assert codes(tmp_path / "pkg" / "block.py") == ["IPG101"]
    write(tmp_path, helpers="def accumulate(x, y):\n    return x + y\n")
    assert codes(tmp_path / "pkg" / "block.py", tmp_path) == []  # what stands beside the package comes first


def test_a_huge_file_is_opaque(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, helpers=HELPER, block=block("from helpers import accumulate"))
    assert codes(tmp_path / "block.py") == ["IPG101"]
    monkeypatch.setattr(projects, "MOST_BYTES", len(HELPER) - 1)
    assert codes(tmp_path / "block.py") == []


def test_costly_code_is_opaque(tmp_path: Path) -> None:
    costly = "def spend(n):\n" + "    n = n * n + n\n" * 2000 + "    return n\n\n\n"
    write(tmp_path, helpers=costly + HELPER.replace("x.add_", "spend(3)\n    x.add_"))
    write(tmp_path, block=block("from helpers import accumulate"))
    assert codes(tmp_path / "block.py") == []
    write(
        tmp_path,
        block=block("from helpers import accumulate").replace("accumulate(h, y)", "accumulate(y, y)\n        h += y"),
    )
    assert codes(tmp_path / "block.py") == ["IPG101"]


NETWORKS = """\
import torch
from torch import nn


def spend(n):
{costly}    return n


class Critic(nn.Module):
    def __init__(self):
        super().__init__()
        {build}
        self.inner, self.outer = nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x):
        {run}
        return self.outer(self.inner(x))
"""
DUEL = """\
import torch
from networks import Critic


def train(batches):
    maker, critic = torch.nn.Linear(4, 4), Critic()
    first = torch.optim.Adam(critic.parameters())
    second = torch.optim.Adam(maker.parameters())
    for batch in batches:
        made = maker(batch)
        {before}
        loss = critic(made.detach()).mean()
        first.zero_grad()
        loss.backward()
        first.step()
        {after}
        second.zero_grad()
        score.backward()
        second.step()
"""


@pytest.mark.parametrize("costly", ["build", "run"])
def test_what_a_module_too_costly_to_follow_keeps(tmp_path: Path, costly: str) -> None:
    """Its parameters: a step between its forward and the backward through it is seen all the same."""
    ways = {"build": "pass", "run": "pass"} | {costly: "spend(3)"}
    write(tmp_path, networks=NETWORKS.format(costly="    n = n * n + n\n" * 2000, **ways))
    score = "score = -critic(made).mean()"
    write(tmp_path, early=DUEL.format(before=score, after="pass"), late=DUEL.format(before="pass", after=score))
    assert codes(tmp_path / "early.py") == ["IPG107"]
    assert codes(tmp_path / "late.py") == []


def test_files_that_import_each_other(tmp_path: Path) -> None:
    write(
        tmp_path,
        pkg____init__="from .block import Block\nfrom .helpers import accumulate\n",
        pkg__helpers="import pkg\nfrom pkg.block import Block\n" + HELPER,
        pkg__block=block("from pkg import accumulate"),
    )
    project = Project()
    for _ in range(2):
        for name in ("block", "helpers", "__init__"):
            path = tmp_path / "pkg" / f"{name}.py"
            found = analyze(path.read_text() + "# torch\n", str(path), project=project)
            assert [f.code for f in found.findings] == (["IPG101"] if name == "block" else [])


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    most = 3 * len(block("")) + 20 * len(HELPER)
    monkeypatch.setattr(projects, "MOST_KEPT", most)
    project = Project()
    for number in range(60):
        write(tmp_path, **{f"h{number}": HELPER, "block": block(f"from h{number} import accumulate")})
        path = tmp_path / "block.py"
        found = analyze(path.read_text(), str(path), project=project)
        assert [f.code for f in found.findings] == ["IPG101"]
        assert sum(len(s.source) for s in project.scopes.values() if s is not None) <= 2 * most


# What is reported


def test_the_call_is_reported_and_the_write_is_named(tmp_path: Path) -> None:
    write(tmp_path, helpers=HELPER, block=block("from helpers import accumulate"))
    (finding,) = analysed(tmp_path / "block.py").findings
    helper = str(tmp_path / "helpers.py")
    assert (finding.write.line, finding.write.op) == (14, "accumulate")
    assert finding.message.startswith(
        f"`accumulate` (by `add_` at {helper}:2) overwrites what LayerNorm on line 13 saved"
    )
    assert finding.details[0] == f"the write is in {helper}, line 2: x.add_(y)"


def test_names_of_files_are_relative_where_the_analysed_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, pkg__lib__helpers=HELPER, pkg__lib____init__="", pkg____init__="")
    write(tmp_path, pkg__block=block("from pkg.lib.helpers import accumulate"))
    monkeypatch.chdir(tmp_path)
    (finding,) = analysed(Path("pkg/block.py")).findings
    assert "at pkg/lib/helpers.py:2)" in finding.message


def test_what_the_other_file_reports_itself_is_not_reported_again(tmp_path: Path) -> None:
    bad = block("").replace("accumulate(h, y)", "h += y")
    user = "import torch\nfrom torch import nn\nfrom bad import Block\n\nclass Net(nn.Module):\n"
    user += "    def __init__(self):\n        super().__init__()\n        self.block = Block()\n\n"
    user += "    def forward(self, x):\n        return self.block(x)\n"
    write(tmp_path, bad=bad, user=user)
    assert codes(tmp_path / "bad.py") == ["IPG101"]
    assert codes(tmp_path / "user.py") == []


def test_a_hazard_between_two_other_files_is_the_nearest_ones(tmp_path: Path) -> None:
    user = "import torch\nfrom torch import nn\nfrom block import Block\n\nclass Net(nn.Module):\n"
    user += "    def __init__(self):\n        super().__init__()\n        self.block = Block()\n\n"
    user += "    def forward(self, x):\n        return self.block(x)\n"
    write(tmp_path, helpers=HELPER, block=block("from helpers import accumulate"), user=user)
    assert codes(tmp_path / "block.py") == ["IPG101"]
    assert codes(tmp_path / "user.py") == []


def test_other_texts_than_the_one_on_disk(tmp_path: Path) -> None:
    """What an editor holds is analysed as it is, and those who import the file see the one on disk."""
    write(tmp_path, helpers="# torch\n" + HELPER, block=block("from helpers import accumulate"))
    project = Project()
    analyze("import torch\n", str(tmp_path / "helpers.py"), project=project)
    path = tmp_path / "block.py"
    assert [f.code for f in analyze(path.read_text(), str(path), project=project).findings] == ["IPG101"]
    changed = path.read_text().replace("accumulate(h, y)", "h = h + y")
    assert analyze(changed, str(path), project=project).findings == []


def test_what_was_read_is_told(tmp_path: Path) -> None:
    write(
        tmp_path,
        helpers=HELPER,
        block=block("from helpers import accumulate\nfrom gone import other").replace("(h, y)", "(h, other(y))"),
    )
    path, project = tmp_path / "block.py", Project()
    assert analyze(path.read_text(), str(path), project=project).findings
    asked, states = project.news()
    assert {str(tmp_path / "helpers.py"), str(tmp_path / "gone.py")} <= set(asked[str(path)])
    assert len(states[str(tmp_path / "helpers.py")]) == 64
    assert states[str(tmp_path / "gone.py")] == ""
    assert project.news() == ({}, {})


def test_without_a_project_nothing_is_followed(tmp_path: Path) -> None:
    write(tmp_path, helpers=HELPER, block=block("from helpers import accumulate"))
    path = tmp_path / "block.py"
    assert analyze(path.read_text(), str(path)) == Analysis()
