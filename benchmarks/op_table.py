"""How long the first look-up in the op table takes, and one that builds an entry: `python benchmarks/op_table.py`."""

from __future__ import annotations

import statistics
import subprocess
import sys

_PROBE = """
import ast, dataclasses, enum, functools, json, pathlib, typing  # what a linter has loaded anyway
import time
start = time.perf_counter()
from inplace_guard import ops
loaded = time.perf_counter()
ops.lookup("torch.add")
first = time.perf_counter()
for name in ("mul", "matmul", "relu", "cat", "softmax", "where", "max", "einsum", "view", "sum"):
    ops.lookup("torch." + name)
end = time.perf_counter()
print(loaded - start, first - loaded, (end - first) / 10)
"""


def main() -> None:
    runs = [
        [float(part) * 1000 for part in subprocess.check_output([sys.executable, "-c", _PROBE], text=True).split()]
        for _ in range(15)
    ]
    for label, column in zip(
        ("import", "first look-up (reads the table)", "further look-up"), zip(*runs, strict=True), strict=True
    ):
        print(f"{label:34} median {statistics.median(column):7.3f} ms   best {min(column):7.3f} ms")


if __name__ == "__main__":
    main()
