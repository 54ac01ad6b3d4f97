"""The learner's folder: the file to mend, and how far the lesson has come. Needs no torch."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path

from minigpt_fixture import registry
from minigpt_fixture.errors import UsageError

__all__ = ["FILE", "START", "Workspace", "original", "reset", "start", "visit"]

FORMAT = 1
FILE, STATE = "model.py", "lesson.json"
START = "python -m minigpt_fixture lesson"


@dataclass
class Workspace:
    """`hints`: how many were given. `solved`: a check has found the file right."""

    folder: Path
    break_name: str
    step: int = 1
    hints: int = 0
    solved: bool = False

    @property
    def file(self) -> Path:
        return self.folder / FILE

    @property
    def entry(self) -> registry.Break:
        return registry.get(self.break_name)

    def source(self) -> str | None:
        """The learner's file; None if it is not text. Raises UsageError."""
        try:
            return self.file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            return None
        except OSError as error:
            raise UsageError(f"cannot read {self.file}: {error.strerror}; `{START} reset` writes it anew") from error

    def untouched(self) -> bool:
        """The program is the one that was handed out, whatever its comments."""
        try:
            return ast.dump(ast.parse(self.source() or "?")) == ast.dump(ast.parse(original(self.entry)))
        except (SyntaxError, ValueError):
            return False

    def save(self) -> None:
        """Raises UsageError."""
        facts = {key: value for key, value in asdict(self).items() if key != "folder"}
        _write(self.folder / STATE, json.dumps({"format": FORMAT, **facts}) + "\n")


def original(entry: registry.Break) -> str:
    """The file of the break with a first line that does not say what is wrong."""
    task = f'"""Part of a mini-GPT. Mend it, and run `{START} check`."""'
    return re.sub(r'\A""".*?"""', lambda _: task, entry.source, count=1, flags=re.DOTALL)


def start(folder: Path, break_name: str) -> Workspace:
    """Hands the file out. Raises UsageError, also if the folder holds something else."""
    entry = registry.get(break_name)
    if entry.outcome == "safe":
        raise UsageError(f"{break_name} is in place and right: there is nothing to mend")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise UsageError(f"{folder} is not empty and holds no lesson: choose another --dir")
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from error
    work = Workspace(folder, break_name)
    _write(work.file, original(entry))
    work.save()
    return work


def visit(folder: Path) -> Workspace | None:
    """The lesson in this folder, if it holds one. Raises UsageError if its state cannot be read."""
    path = folder / STATE
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not JSON; remove it to start again") from error
    if not isinstance(facts, dict) or facts.pop("format", None) != FORMAT:
        raise UsageError(f"{path} was written by another version; remove {folder} to start again")
    kinds = {"break_name": str, "step": int, "hints": int, "solved": bool}
    if facts.keys() != kinds.keys() or any(type(facts[key]) is not kind for key, kind in kinds.items()):
        raise UsageError(f"{path} does not hold the state of a lesson; remove {folder} to start again")
    registry.get(facts["break_name"])
    return Workspace(folder, **facts)


def reset(work: Workspace) -> Path | None:
    """Hands the file out again; what was there is kept beside it. The path of the copy, if there was one."""
    kept = None
    if work.file.exists() and not work.untouched():
        kept = next(p for i in range(1, 10_000) if not (p := work.folder / f"{FILE}.{i}").exists())
        try:
            work.file.rename(kept)
        except OSError as error:
            raise UsageError(f"cannot write {kept}: {error.strerror}") from error
    _write(work.file, original(work.entry))
    work.step, work.hints, work.solved = 1, 0, False
    work.save()
    return kept


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
