"""The reference case: a mini-GPT, the ways to break its backward with an in-place write, and what to learn from each.

`python -m minigpt_fixture --help` shows the commands. Importing this package does not import torch.
"""
