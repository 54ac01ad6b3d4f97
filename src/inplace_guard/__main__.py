"""`inplace-guard` and `python -m inplace_guard`."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> int:
    try:
        from inplace_guard.cli import main as run
    except KeyboardInterrupt:  # loading it takes a moment
        print("inplace-guard: interrupted", file=sys.stderr)
        return 130
    return run()


if __name__ == "__main__":
    sys.exit(main())
