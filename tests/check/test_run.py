"""Many files: cache, processes, per-file ignores."""

from __future__ import annotations

import gc
import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from inplace_guard.check import check_paths, check_stdin, run
from inplace_guard.config import Settings

HAZARD = "import torch\nh.add_(x)  # HAZARD\n"


def make(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        (root / f"{name}.py").write_text(text)


def cache_files(project: Path) -> list[Path]:
    return list((project / ".inplace_guard_cache").glob("*.json"))


def test_findings_of_all_files_in_order(project: Path, marked_lines: Any) -> None:
    make(project, b=HAZARD, a=HAZARD, c="x = 1\n", d="import torch\nx = (\n")
    result = check_paths(["."], Settings())
    assert [finding.write.path for finding in result.findings] == ["a.py", "b.py"]
    assert [problem.path for problem in result.all_problems] == ["d.py"]
    assert len(result.files) == 4


def test_second_run_comes_from_the_cache(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD, b="import torch\nx = (\n", c=HAZARD + "h.add_(x)  # HAZARD # noqa\n")
    first = check_paths(["."], Settings())
    marked_lines.paths.clear()
    second = check_paths(["."], Settings())
    assert not marked_lines.paths
    assert second.findings == first.findings
    assert second.all_problems == first.all_problems
    assert second.suppressed == first.suppressed == 1
    assert all(file.cached for file in second.files)


def test_what_was_done_before_ctrl_c_is_in_the_cache(
    project: Path, marked_lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(project, a=HAZARD, b=HAZARD + "1\n")

    def interrupted(source: str, path: str, **options: Any) -> Any:
        if path == "b.py":
            raise KeyboardInterrupt
        return marked_lines(source, path, **options)

    with monkeypatch.context() as patch:
        patch.setattr("inplace_guard.check.file.analyze", interrupted)
        with pytest.raises(KeyboardInterrupt):
            check_paths(["."], Settings())
    assert [file.cached for file in check_paths(["."], Settings()).files] == [True, False]


def test_the_cache_goes_by_content_not_by_name(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD)
    check_paths(["."], Settings())
    (project / "a.py").rename(project / "moved.py")
    marked_lines.paths.clear()
    (finding,) = check_paths(["."], Settings()).findings
    assert finding.write.path == finding.saved.path == "moved.py"  # type: ignore[union-attr]
    assert not marked_lines.paths
    make(project, moved=HAZARD + "\n")
    check_paths(["."], Settings())
    assert marked_lines.paths == ["moved.py"]


def test_other_codes_do_not_use_the_same_entries(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD)
    assert not check_paths(["."], Settings(select=("IPG2",))).findings
    assert check_paths(["."], Settings()).findings


def test_a_changed_linter_does_not_use_old_entries(
    project: Path, marked_lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(project, a=HAZARD)
    check_paths(["."], Settings())
    monkeypatch.setattr("inplace_guard.__version__", "99")
    marked_lines.paths.clear()
    check_paths(["."], Settings())
    assert marked_lines.paths == ["a.py"]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"files": []}',
        b'{"files": {"KEY": 3}}',
        b'{"files": {"KEY": {"findings": [{}]}}}',
    ],
)
def test_a_corrupt_cache_is_ignored_and_rewritten(project: Path, marked_lines: Any, damage: bytes) -> None:
    make(project, a=HAZARD)
    expected = check_paths(["."], Settings()).findings
    (file,) = cache_files(project)
    good = file.read_bytes()
    (key,) = json.loads(good)["files"]
    file.write_bytes(damage.replace(b"KEY", key.encode()))
    assert check_paths(["."], Settings()).findings == expected
    assert file.read_bytes() == good
    assert len(list(file.parent.glob("*.json"))) == 1


def test_a_cache_that_cannot_be_written_is_only_a_note(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD)
    (project / ".inplace_guard_cache").write_text("in the way")
    result = check_paths(["."], Settings())
    assert len(result.findings) == 1
    assert not result.all_problems
    assert any("cannot be written" in note for note in result.notes)


def test_no_cache(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD)
    check_paths(["."], Settings(cache=False))
    assert not (project / ".inplace_guard_cache").exists()


def test_the_cache_is_kept_out_of_git(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD)
    check_paths(["."], Settings())
    assert (project / ".inplace_guard_cache" / ".gitignore").read_text() == "*\n"


def test_an_internal_error_is_not_cached(project: Path, marked_lines: Any) -> None:
    make(project, a="import torch  # CRASH\n", b=HAZARD)
    for _ in range(2):
        marked_lines.paths.clear()
        result = check_paths(["."], Settings())
        assert [problem.path for problem in result.all_problems] == ["a.py"]
        assert len(result.findings) == 1
    assert marked_lines.paths == ["a.py"]


def test_per_file_ignores_and_cache(project: Path, marked_lines: Any) -> None:
    make(project, a=HAZARD, b=HAZARD)
    settings = Settings(per_file_ignores={"a.py": ("IPG1",)})
    for _ in range(2):
        assert [finding.write.path for finding in check_paths(["."], settings).findings] == ["b.py"]
    assert len(check_paths(["."], Settings()).findings) == 2


def test_unreadable_files(project: Path, marked_lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    make(project, a=HAZARD, b=HAZARD)
    real = Path.read_bytes

    def read(path: Path) -> bytes:  # the tests may run as root, whom permissions do not stop
        if path.name == "a.py":
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(Path, "read_bytes", read)
    result = check_paths(["."], Settings(cache=False))
    assert [str(problem) for problem in result.all_problems] == ["a.py: cannot be read: Permission denied"]
    assert len(result.findings) == 1


def test_processes_give_what_one_process_gives(
    project: Path, marked_lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_WORTH_A_POOL", 100)
    monkeypatch.setattr(run, "_CHUNK_BYTES", 100)
    make(project, **{f"f{number:02}": HAZARD + f"# {number}\n" for number in range(30)})
    make(project, bad="import torch\nx = (\n", crash="import torch  # CRASH\n", plain="x = 1\n")
    one = check_paths(["."], Settings(cache=False, jobs=1))
    steps: list[tuple[int, int]] = []
    two = check_paths(["."], Settings(cache=False, jobs=2), lambda done, total: steps.append((done, total)))
    assert not multiprocessing.active_children()
    assert two.findings == one.findings
    assert len(two.findings) == 30
    assert two.all_problems == one.all_problems
    assert steps == [(number + 1, 33) for number in range(33)]


def test_a_file_that_kills_its_process_is_named(
    project: Path, marked_lines: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "_WORTH_A_POOL", 100)
    monkeypatch.setattr(run, "_CHUNK_BYTES", 100)
    parent = os.getpid()

    def deadly(source: str, path: str, **options: object) -> object:
        if "DEADLY" in source and os.getpid() != parent:
            os._exit(9)
        return marked_lines(source, path, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("inplace_guard.check.file.analyze", deadly)
    make(project, **{f"f{number:02}": HAZARD + f"# {number}\n" for number in range(20)})
    make(project, f10="import torch  # DEADLY\n")
    result = check_paths(["."], Settings(jobs=2))
    assert not multiprocessing.active_children()
    (problem,) = result.all_problems
    assert str(problem) == "f10.py: the process that checked it died; exclude the file or free memory"
    assert len(result.findings) == 19


def test_an_interrupt_does_not_wait(project: Path, marked_lines: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "_WORTH_A_POOL", 100)
    monkeypatch.setattr(run, "_CHUNK_BYTES", 100)
    waited: list[bool] = []
    shutdown = ProcessPoolExecutor.shutdown

    def watched(pool: ProcessPoolExecutor, wait: bool = True, *, cancel_futures: bool = False) -> None:
        waited.append(wait)
        shutdown(pool, cancel_futures=cancel_futures)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", watched)
    make(project, **{f"f{number:02}": HAZARD for number in range(20)})
    with pytest.raises(KeyboardInterrupt):
        check_paths(["."], Settings(cache=False, jobs=2), interrupt)
    gc.collect()
    assert waited == [False]


def test_stdin(project: Path, marked_lines: Any) -> None:
    (finding,) = check_stdin(HAZARD.encode(), "src/x.py", Settings()).findings
    assert finding.write.path == "src/x.py"
    settings = Settings(per_file_ignores={"src/": ("IPG1",)})
    assert not check_stdin(HAZARD.encode(), "src/x.py", settings).findings
