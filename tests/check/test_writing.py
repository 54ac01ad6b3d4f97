"""Files are replaced in one step, or in place where that would lose something; or not at all."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_guard.check.writing import Unwritable, replace_file

POSIX = pytest.mark.skipif(os.name == "nt", reason="signals, limits and permissions of POSIX")


def test_replaced(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old\r\n")
    file.chmod(0o640)
    replace_file(str(file), b"old\r\n", b"new\r\n")
    assert file.read_bytes() == b"new\r\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = tmp_path / "real" / "a.py"
    real.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(real)
    replace_file(str(link), b"old", b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert os.listdir(tmp_path / "real") == ["a.py"]


def test_changed_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"newer")
    with pytest.raises(Unwritable, match="it was changed meanwhile; run again"):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"newer"
    assert os.listdir(tmp_path) == ["a.py"]


def test_read_only(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(Unwritable, match="it is read-only"):
        replace_file(str(file), b"old", b"new")
    assert file.read_bytes() == b"old"


def test_gone(tmp_path: Path) -> None:
    with pytest.raises(Unwritable, match="it cannot be written: No such file or directory"):
        replace_file(str(tmp_path / "a.py"), b"old", b"new")


def test_a_failure_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")

    def fail(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(Unwritable, match="it cannot be written: No space left on device"):
        replace_file(str(file), b"old", b"new")
    assert os.listdir(tmp_path) == ["a.py"]
    assert file.read_bytes() == b"old"


def in_place(file: Path) -> tuple[int, int]:
    state = file.stat()
    return state.st_ino, state.st_nlink


@pytest.mark.parametrize("new", [b"new", b"new and longer\n" * 5000, b""])
def test_hard_links_are_kept(tmp_path: Path, new: bytes) -> None:
    (tmp_path / "a.py").write_bytes(b"old text")
    os.link(tmp_path / "a.py", tmp_path / "b.py")
    before = in_place(tmp_path / "a.py")
    replace_file(str(tmp_path / "a.py"), b"old text", new)
    assert in_place(tmp_path / "a.py") == before
    assert (tmp_path / "b.py").read_bytes() == new
    replace_file(str(tmp_path / "b.py"), b"old text", new)  # the same change once more is none
    with pytest.raises(Unwritable, match="changed meanwhile"):
        replace_file(str(tmp_path / "b.py"), b"old text", b"other")
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"]


def run(script: str, folder: Path, *before: str) -> subprocess.CompletedProcess[str]:
    head = "import os, resource, signal\nfrom inplace_guard.check.writing import Unwritable, replace_file\n"
    command = [*before, sys.executable, "-c", head + script]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


FULL = """
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    replace_file("a.py", b"old" * 1000, b"new" * 10_000)
except Unwritable as error:
    print(error)
"""


@POSIX
@pytest.mark.parametrize("linked", [False, True])
def test_no_room(tmp_path: Path, linked: bool) -> None:
    (tmp_path / "a.py").write_bytes(b"old" * 1000)
    if linked:
        os.link(tmp_path / "a.py", tmp_path / "b.py")
    done = run(FULL, tmp_path)
    assert (done.stdout, done.stderr) == ("it cannot be written: File too large\n", "")
    assert (tmp_path / "a.py").read_bytes() == b"old" * 1000
    assert sorted(os.listdir(tmp_path)) == ["a.py", "b.py"][: 1 + linked]


DISTURBED = """
fsync = os.fsync
def disturbed(handle):
    fsync(handle)
    os.kill(os.getpid(), signal.{signal})
os.fsync = disturbed
replace_file("a.py", b"old", b"new text")
replace_file("c.py", b"old", b"new text")
"""


@POSIX
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP"])
@pytest.mark.parametrize("linked", [False, True])
def test_a_signal_waits_until_the_file_is_whole(tmp_path: Path, name: str, linked: bool) -> None:
    for file in ("a.py", "c.py"):
        (tmp_path / file).write_bytes(b"old")
    if linked:
        os.link(tmp_path / "a.py", tmp_path / "b.py")
    attended = f"signal.signal(signal.{name}, signal.default_int_handler if '{name}' == 'SIGINT' else signal.SIG_DFL)\n"
    done = run(attended + DISTURBED.format(signal=name), tmp_path)
    assert done.returncode == -getattr(signal, name)
    assert (tmp_path / "a.py").read_bytes() == b"new text"
    assert (tmp_path / "c.py").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["a.py", *(["b.py"] if linked else []), "c.py"]


@POSIX
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    """The file may: then it is written in place."""
    (tmp_path / "a.py").write_bytes(b"old")
    (tmp_path / "a.py").chmod(0o666)
    before = in_place(tmp_path / "a.py")
    tmp_path.chmod(0o555)
    as_user = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if as_user and shutil.which("setpriv") is None:
        pytest.skip("root may write everything")
    done = run('replace_file("a.py", b"old", b"new text")', tmp_path, *as_user)
    tmp_path.chmod(0o755)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "a.py").read_bytes() == b"new text"
    assert in_place(tmp_path / "a.py") == before
