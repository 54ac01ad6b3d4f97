"""`python -m inplace_guard`."""

from __future__ import annotations

import sys

from inplace_guard.cli import main

sys.exit(main())
