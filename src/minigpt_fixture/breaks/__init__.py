"""One file a break: the code a user would write, with the one change that breaks it."""
