"""`python -m minigpt_fixture`."""

import sys

from minigpt_fixture.cli import main

sys.exit(main())
