"""Files are replaced in one step or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from inplace_guard.check.writing import Unwritable, replace_file


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
