"""How fast is the linter, beside its peers? Everything is timed in one run, on this machine.

    python benchmarks/lint_speed.py                      what `make bench` runs
    python benchmarks/lint_speed.py --without-torchfix   leaves the slowest peer out
    python benchmarks/lint_speed.py --part 2             only one of the parts

Part 1 lints torch/nn, optim, distributed and _inductor of the installed torch in one process, and prints CPU time
beside that of `ast.parse`. Each flake8 has an environment of its own (in build/bench), because flake8 runs every plugin
that is installed, selected or not. Part 2 times `inplace-guard check` over the installed transformers: one
and two processes, cold and from the cache, beside `ruff check`, and beside TorchFix on a share of the files, since it
would take a quarter of an hour for all. The linter that is timed is a copy installed at the start of the run. TorchFix
is left out, with a line that says so, where it cannot be installed.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ENVIRONMENTS = ROOT / "build" / "bench"
ALONE = "  one file at a time"  # imports into other files are not followed
FOLDERS = ("nn", "optim", "distributed", "_inductor")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--without-torchfix", action="store_true", help="leave out TorchFix, which takes minutes")
    parser.add_argument("--part", type=int, choices=(1, 2), help="only this part")
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="folders of torch to lint")
    parser.add_argument("--json", type=Path, help="write the figures here too")
    options = parser.parse_args()
    torch, transformers = package("torch"), package("transformers")
    if torch is None:
        print("torch is not installed for this Python; `make bench` sets it up", file=sys.stderr)
        return 2
    torchfix = "" if options.without_torchfix else environment("torchfix", ["torchfix"], optional=True)
    figures: dict[str, object] = {}
    if options.part != 2:
        figures |= peers([torch / folder for folder in options.folders], torchfix)
    if transformers is not None and options.part != 1:
        figures["check"] = project(transformers, torchfix)
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    return 0


def package(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec is not None and spec.origin else None


def peers(folders: Sequence[Path], torchfix: str) -> dict[str, dict[str, float]]:
    paths = [str(folder) for folder in folders]
    files = sorted(file for folder in folders for file in folder.rglob("*.py"))
    lines = sum(file.read_bytes().count(b"\n") for file in files)
    print(f"{len(files)} files, {lines:,} lines of torch; CPU seconds, one process\n")

    times: dict[str, float] = {}

    def show(name: str, seconds: float) -> None:
        times[name] = round(seconds, 3)
        print(f"{name:<34} {seconds:8.2f} s {seconds / times['ast.parse']:8.1f} x", flush=True)

    guard = environment("inplace-guard", [str(ROOT)])
    script = [guard, __file__, "--child"]
    child = json.loads(
        subprocess.run(script, input=json.dumps(paths), text=True, capture_output=True, check=True).stdout
    )
    show("ast.parse", child["parse"])
    show("our analysis, tree given", child["analysis"])
    for name, plugin, codes in (
        ("flake8 E9,F", None, "E9,F"),
        ("flake8 E9,F + inplace-guard", "inplace-guard", "E9,F,IPG"),
        (ALONE, "inplace-guard", "E9,F,IPG"),
        ("flake8 E9,F + bugbear", "flake8-bugbear", "E9,F,B"),
        ("flake8 E9,F + TorchFix", "torchfix", "E9,F,TOR"),
    ):
        if plugin == "torchfix" and not torchfix:
            continue
        python = guard if plugin == "inplace-guard" else environment(plugin or "flake8", [plugin] if plugin else [])
        command = [python, "-m", "flake8", "--isolated", "--jobs", "1", "--select", codes, "--exit-zero", "-q", *paths]
        if name == ALONE:
            command.append("--inplace-guard-isolated")
        show(name, child_cpu(command))
    show("ruff check E9,F", child_cpu([sys.executable, "-m", "ruff", *ruff_options("E9,F"), *paths]))
    ours, alone = (times[name] - times["flake8 E9,F"] for name in ("flake8 E9,F + inplace-guard", ALONE))
    print(f"\ninplace-guard adds {ours:.2f} s to flake8: {ours / times['ast.parse']:.1f} x ast.parse")
    print(f"following imports makes it {ours / alone:.2f} times as slow as one file at a time")
    return {"cpu_seconds": times}


def project(folder: Path, torchfix: str) -> dict[str, tuple[float, float]]:
    files = sum(1 for _ in folder.rglob("*.py"))
    print(f"\ninplace-guard check over transformers, {files} files; {os.cpu_count()} cores\n")
    print(f"{'':<34} {'by the clock':>12} {'CPU':>10}")
    times: dict[str, tuple[float, float]] = {}

    def show(name: str, command: Sequence[str], may_fail: bool = False) -> None:
        times[name] = spent(command, may_fail)
        print(f"{name:<34} {times[name][0]:>10.2f} s {times[name][1]:>8.2f} s", flush=True)

    with tempfile.TemporaryDirectory() as cache:
        check = [environment("inplace-guard", [str(ROOT)]), "-m", "inplace_guard", "check", "--isolated", "--exit-zero"]
        check += ["--format", "concise", "--no-respect-gitignore"]
        command = [*check, str(folder), "--cache-dir", cache]
        for name, extra in (
            ("cold, 1 process", ["--jobs", "1"]),
            ("cached, 1 process", ["--jobs", "1"]),
            ("cold, 2 processes", ["--jobs", "2"]),
            ("cached, 2 processes", ["--jobs", "2"]),
            ("cold, one file at a time", ["--jobs", "1", "--no-cross-file"]),
        ):
            if name.startswith("cold"):
                shutil.rmtree(cache)
            show(name, command + extra)
    show("ruff check E9,F", [sys.executable, "-m", "ruff", *ruff_options("E9,F"), str(folder)])
    cold = times["cold, 1 process"][1]
    print(f"\nthe cache makes it {cold / times['cached, 1 process'][1]:.1f} times as fast (CPU, 1 process)")
    print(f"following imports makes it {cold / times['cold, one file at a time'][1]:.2f} times as slow (CPU)")
    if torchfix:  # every twentieth folder of a model
        folders = [str(path) for path in sorted((folder / "models").iterdir()) if path.is_dir()][::20]
        print(f"\n{sum(1 for one in folders for _ in Path(one).rglob('*.py'))} of these files, 1 process\n")
        show("check, share", [*check, *folders, "--no-cache", "--jobs", "1"])
        fixer = str(Path(torchfix).with_name("torchfix"))
        show("TorchFix, share", [fixer, "--select", "ALL", "--jobs", "1", *folders], may_fail=True)
        show("ruff, share", [sys.executable, "-m", "ruff", *ruff_options("E9,F"), *folders])
        ratio = times["TorchFix, share"][1] / times["check, share"][1]
        print(f"\nTorchFix takes {ratio:.1f} times as long as check (CPU)")
    return times


def ruff_options(codes: str) -> list[str]:
    return ["check", "--isolated", "--no-cache", "--select", codes, "--exit-zero", "--quiet", "--no-respect-gitignore"]


def child() -> int:
    """Runs in the environment of the timed copy: parses and analyses each file, and prints both times."""
    from inplace_guard.analysis import analyze

    parsing = analysing = 0.0
    for folder in json.load(sys.stdin):
        for file in sorted(Path(folder).rglob("*.py")):
            text = file.read_text(encoding="utf-8")
            start = time.process_time()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(text)
            parsed = time.process_time()
            analyze(text, str(file), tree=tree)
            parsing, analysing = parsing + parsed - start, analysing + time.process_time() - parsed
    print(json.dumps({"parse": parsing, "analysis": analysing}))
    return 0


def environment(name: str, packages: Sequence[str], optional: bool = False) -> str:
    """The Python of an environment with the flake8 that is installed here, and these packages; "" if they are
    optional and cannot be installed."""
    from importlib.metadata import version

    folder = ENVIRONMENTS / name
    python = str(folder / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if not os.path.exists(python):
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        done = subprocess.run([*pip, f"flake8=={version('flake8')}", *packages], check=not optional)
        if done.returncode:
            shutil.rmtree(folder)
            print(f"{name} cannot be installed: it is left out")
            return ""
    elif str(ROOT) in packages:  # today's copy
        subprocess.run([*pip, "--force-reinstall", "--no-deps", str(ROOT)], check=True)
    return python


def child_cpu(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def spent(command: Sequence[str], may_fail: bool = False) -> tuple[float, float]:
    """Seconds by the clock, and of CPU, which other work on the machine changes little."""
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=not may_fail)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(child() if sys.argv[1:] == ["--child"] else main())
