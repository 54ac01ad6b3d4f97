"""The Spanish of the generated parts, by the English sentence. Names of PyTorch, code and messages stay as they are."""

SPANISH: dict[str, str] = {}
