"""Which files are checked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from inplace_guard.check.discovery import discover, per_file_ignores
from inplace_guard.config import Settings


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("import torch\n")


def found(*paths: str, **options: object) -> list[str]:
    result = discover(paths or (".",), Settings(**options))  # type: ignore[arg-type]
    assert not result.problems
    return [path.as_posix() for path in result.files]


def test_python_files_and_notebooks_of_folders(project: Path) -> None:
    make(project, "b.py", "a/x.py", "a/y.ipynb", "a/z.txt", "a/w.pyc")
    assert found() == ["a/x.py", "a/y.ipynb", "b.py"]
    assert found("a") == ["a/x.py", "a/y.ipynb"]
    assert found(str(project / "a")) == [(project / "a" / n).as_posix() for n in ("x.py", "y.ipynb")]


def test_a_named_file_is_taken_whatever_its_suffix(project: Path) -> None:
    make(project, "script", ".venv/x.py")
    assert found("script", ".venv/x.py") == ["script", ".venv/x.py"]


def test_a_file_is_taken_once(project: Path) -> None:
    make(project, "a/x.py")
    os.symlink(project / "a" / "x.py", project / "a" / "link.py")
    assert found("a/x.py", "a", "./a/x.py") == ["a/x.py"]


def test_links_to_folders_are_not_followed(project: Path) -> None:
    make(project, "a/x.py")
    os.symlink(project / "a", project / "a" / "loop")
    assert found() == ["a/x.py"]


def test_default_excludes(project: Path) -> None:
    make(project, "x.py", ".venv/x.py", "a/__pycache__/x.py", "a/site-packages/x.py", "build/x.py", "my.egg-info/x.py")
    assert found() == ["x.py"]
    assert found("a/site-packages") == ["a/site-packages/x.py"]


def test_default_excludes_hold_outside_of_the_settings_root(project: Path) -> None:
    make(project, "other/x.py", "other/.venv/x.py", "here/y.py")
    assert found("other", root=project / "here") == ["other/x.py"]


def test_excludes_are_gitignore_patterns_relative_to_the_root(project: Path) -> None:
    make(project, "gen/x.py", "a/gen/x.py", "a/x_pb2.py", "a/b/c.py", "a/b/keep.py")
    assert found(exclude=("/gen", "*_pb2.py", "a/b/*", "!keep.py")) == ["a/b/keep.py", "a/gen/x.py"]
    os.chdir("a")
    assert found(".", root=project, exclude=("/a/gen",)) == ["b/c.py", "b/keep.py", "x_pb2.py"]


def test_force_exclude(project: Path) -> None:
    make(project, "old/a/x.py", "y.py")
    assert found("old/a/x.py", "y.py", exclude=("old",)) == ["old/a/x.py", "y.py"]
    result = discover(["old/a/x.py", "y.py"], Settings(exclude=("old",), force_exclude=True))
    assert [path.as_posix() for path in result.files] == ["y.py"]
    assert result.notes == ["old/a/x.py: excluded by the exclude setting"]


def test_gitignore(project: Path) -> None:
    (project / ".git" / "info").mkdir(parents=True)
    (project / ".git" / "info" / "exclude").write_text("private.py\n")
    (project / ".gitignore").write_text("*.tmp.py\n/out/\nlocal/*\n!local/keep.py\n")
    make(project, "a.py", "a.tmp.py", "out/x.py", "b/out/x.py", "private.py", "local/x.py", "local/keep.py")
    make(project, "b/c.py", "b/again.tmp.py")
    (project / "b" / ".gitignore").write_text("c.py\n!again.tmp.py\n")
    assert found() == ["a.py", "b/again.tmp.py", "b/out/x.py", "local/keep.py"]
    assert found("b") == ["b/again.tmp.py", "b/out/x.py"]
    assert "out/x.py" in found(respect_gitignore=False)
    notes = discover(["."], Settings()).notes
    assert f"out: ignored by {project / '.gitignore'}" in notes


def test_a_line_that_is_no_pattern_spoils_not_the_others(project: Path) -> None:
    make(project, "a.py", "old/b.py")
    (project / ".gitignore").write_text("\\\nold/\n")
    assert found() == ["a.py"]


def test_an_ignored_folder_that_is_named_is_checked(project: Path) -> None:
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("env/\n")
    make(project, "env/lib/pkg/x.py")
    assert found() == []
    assert found("env/lib") == ["env/lib/pkg/x.py"]


@pytest.mark.parametrize("name", ["none.py", "link.py"])
def test_missing(project: Path, name: str) -> None:
    os.symlink("nowhere", project / "link.py")
    result = discover([name, "."], Settings())
    assert [problem.path for problem in result.problems].count(name) >= 1
    assert "no such file or folder" in result.problems[0].message


def test_per_file_ignores(project: Path) -> None:
    settings = Settings(root=project, per_file_ignores={"tests/": ("IPG1",), "*_old.py": ("IPG2", "IPG301")})
    assert per_file_ignores(Path("tests/a/x.py"), settings) == ("IPG1",)
    assert per_file_ignores(Path("tests/x_old.py"), settings) == ("IPG1", "IPG2", "IPG301")
    assert per_file_ignores(Path("src/x.py"), settings) == ()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(project: Path) -> None:
    os.mkfifo("pipe.py")
    (project / "a.py").write_text("")
    found = discover(["pipe.py", "a.py", "."], Settings())
    assert [str(problem) for problem in found.problems] == [
        "pipe.py: is neither a file nor a folder; - reads standard input"
    ]
    assert [str(path) for path in found.files] == ["a.py"]


def test_a_file_goes_by_its_own_name_or_the_one_that_was_given(project: Path) -> None:
    make(project, "a/z.py", "elsewhere/y.py")
    os.symlink("z.py", project / "a" / "link.py")
    os.symlink("../elsewhere/y.py", project / "a" / "out.py")
    assert found("a") == ["a/out.py", "a/z.py"]
    assert found("a/link.py", "a") == ["a/link.py", "a/out.py"]
    assert discover(["a"], Settings()).links == {"a/out.py"}
    assert discover(["a", "a/out.py"], Settings()).links == set()
    assert discover(["a", "elsewhere"], Settings()).links == set()
