"""`python -m inplace_guard.ops.generate [--check] [--out FILE]`: make the op table from the installed torch."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from inplace_guard.ops.generate.build import Builder, table

_TABLE = Path(__file__).parent.parent / "table.json"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m inplace_guard.ops.generate", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the table in the package; 1 if it differs")
    parser.add_argument("--out", type=Path, default=_TABLE, help="where to write (default: the package's table.json)")
    options = parser.parse_args(argv)
    builder = Builder()
    text = json.dumps(table(builder), indent=0, ensure_ascii=False, sort_keys=True) + "\n"
    for signature in builder.not_run:
        print("not run here, taken from its schema:", signature, file=sys.stderr)
    if not options.check:
        options.out.write_text(text, encoding="utf-8")
        return 0
    old = options.out.read_text(encoding="utf-8").splitlines()
    new = text.splitlines()
    gone, come = sorted(set(old) - set(new)), sorted(set(new) - set(old))
    for mark, lines in (("-", gone), ("+", come)):
        for line in lines:
            print(mark, line)
    return 1 if gone or come else 0


if __name__ == "__main__":
    sys.exit(main())
