"""The four mechanisms that change the graph, as programs that run: what PyTorch says, and which rule catches it."""

from __future__ import annotations

import contextlib
import io
import textwrap
from dataclasses import dataclass

from minigpt_fixture.say import say, spoken

__all__ = ["GOTCHAS", "Gotcha", "gotchas_section", "rules_of", "run"]

_HEAD = """\
import torch
from torch import nn

torch.manual_seed(0)
emb, ln, ffn = nn.Embedding(10, 4), nn.LayerNorm(4), nn.Linear(4, 4)
tokens = torch.tensor([3, 1, 4])
"""


@dataclass(frozen=True)
class Gotcha:
    """`body` follows the model and the tokens. `rule` is the code that the linter gives it, None if there is none."""

    name: str
    title: str
    body: str
    rule: str | None
    moral: str

    @property
    def program(self) -> str:
        return _HEAD + self.body


GOTCHAS = (
    Gotcha(
        "in-place",
        "In-place: the tensor that the norm saved is written",
        """\
h = emb(tokens)
h.add_(ffn(ln(h)))
h.square().sum().backward()
""",
        "IPG101",
        "Saved, then written: backward of the norm finds another version than it saved. Right: `h = h + ffn(ln(h))`.",
    ),
    Gotcha(
        "in-place-right",
        "In-place and right: four places to write",
        """\
optimizer = torch.optim.SGD(ffn.parameters(), lr=0.1)
mask = torch.zeros(3, 1)
mask[0] = 1
loss = (ffn(ln(emb(tokens))).relu_() * mask).square().sum()
loss.backward()
optimizer.step()
with torch.no_grad():
    h = emb(tokens)
    h.add_(ffn(ln(h)))
print(ffn.weight.grad.norm() > 0)
""",
        None,
        "A fresh tensor before anybody has saved it; `relu_` on the result of a Linear, which saved its input; the "
        "optimizer, after the backward that read the weights; and inference, where nothing is saved.",
    ),
    Gotcha(
        "data",
        "In-place past autograd: nothing counts the write",
        """\
h = emb(tokens)
h.data.add_(ffn(ln(h)))
h.square().sum().backward()
print(ffn.weight.grad, ln.weight.grad)
""",
        "IPG201",
        "`.data` is the same memory without history and with a version counter of its own. The sum is in the values "
        "and not in the graph.",
    ),
    Gotcha(
        "detach",
        "detach: the tape ends there",
        """\
h = emb(tokens).detach()
loss = (h + ffn(ln(h))).square().sum()
loss.backward()
print(emb.weight.grad)
""",
        None,
        "Right for a target network, where no gradient is wanted, and so no rule reports it: only the intention tells "
        "the two apart. A parameter whose `.grad` stays None tells you.",
    ),
    Gotcha(
        "loss-detached",
        "detach on the loss, and the error made to go away",
        """\
loss = ffn(ln(emb(tokens))).square().sum().detach()
loss.requires_grad_().backward()
print(ffn.weight.grad)
""",
        "IPG303",
        "`requires_grad_()` makes a new leaf of the loss. Backward runs, over nothing.",
    ),
    Gotcha(
        "no-grad",
        "no_grad around a training step: nothing was recorded",
        """\
with torch.no_grad():
    loss = ffn(ln(emb(tokens))).square().sum()
loss.backward()
""",
        "IPG302",
        "no_grad belongs around evaluation and around the optimizer's own arithmetic, not around the forward pass that "
        "is trained.",
    ),
    Gotcha(
        "second-backward",
        "The life of saved tensors: backward frees what it has read",
        """\
loss = ffn(ln(emb(tokens))).square().sum()
loss.backward()
loss.backward()
""",
        "IPG301",
        "`retain_graph=True` on the first call keeps them. More often one backward for the sum of the losses is meant.",
    ),
    Gotcha(
        "retain-then-step",
        "retain_graph, and a step in between",
        """\
optimizer = torch.optim.SGD(ffn.parameters(), lr=0.1)
loss = ffn(ln(emb(tokens))).square().sum()
loss.backward(retain_graph=True)
optimizer.step()
loss.backward()
""",
        "IPG107",
        "The kept graph saved the weights by reference, and the step writes them. Run all backwards first, or the "
        "forward again.",
    ),
)


def run(gotcha: Gotcha) -> str:
    """What the program prints, and the error that ends it, without the hint of PyTorch at its end."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(gotcha.program, f"{gotcha.name}.py", "exec"), {})
        except RuntimeError as error:
            print(f"{type(error).__name__}: {' '.join(str(error).split()).partition(' Hint: ')[0]}")
    return printed.getvalue().rstrip()


def rules_of(gotcha: Gotcha) -> list[tuple[int, str, str]]:
    """(line, code, message) of what the linter finds in the program."""
    from inplace_guard.analysis import analyze

    found = analyze(gotcha.program, f"{gotcha.name}.py").findings
    return [(finding.write.line, finding.code, finding.message) for finding in found]


def _link(code: str) -> str:
    from inplace_guard.rules import CATALOGUE

    up = "" if spoken() == "en" else "../"
    return f"[{code}]({up}rules/{code}-{CATALOGUE[code].name}.md)"


def gotchas_section() -> str:
    """Markdown: each program, its output, and what the linter says of it."""
    parts = []
    for gotcha in GOTCHAS:
        said = "\n".join(textwrap.wrap(run(gotcha), 110, break_long_words=False, break_on_hyphens=False))
        linted = [f"{gotcha.name}.py:{line}: {code} {message}" for line, code, message in rules_of(gotcha)]
        rule = say("The linter, with {rule}:", rule=_link(gotcha.rule)) if gotcha.rule else say("The linter is silent.")
        parts.append(f'### {say(gotcha.title)}\n\n```python title="{gotcha.name}.py"\n{gotcha.program}```\n')
        parts.append(f"```text\n{said}\n```\n")
        parts.append(rule + "\n" + ("\n```text\n" + "\n".join(linted) + "\n```\n" if linted else ""))
        parts.append(say(gotcha.moral) + "\n")
    return "\n".join(parts).rstrip()
