"""The diagnostic ladder as a guided path, a step at a time: `python -m minigpt_fixture lesson`."""

ACTIONS = ("next", "hint", "check", "reset")
DEFAULT_FOLDER = "minigpt-lesson"
LESSON_STEPS = 8
