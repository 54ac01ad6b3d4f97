"""The static half: source text -> findings. Never imports torch."""
