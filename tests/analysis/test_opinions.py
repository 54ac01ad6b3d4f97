"""IPG9: reported only when selected."""

from __future__ import annotations

from inplace_guard import rules
from inplace_guard.analysis import analyze

from .programs import checked, parse

PROGRAMS = """
== a harmless write to what requires grad
w = torch.randn(3, requires_grad=True)
h = w + 1
h.relu_()  # <- IPG901
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = (w + 1).relu()
h.sum().backward()

== an augmented assignment to what requires grad
w = torch.randn(3, requires_grad=True)
total = w.sum()
total += 1  # <- IPG901
total.backward()
--
w = torch.randn(3, requires_grad=True)
total = w.sum() + 1
count = 0
count += 1
total.backward()

== an item of what requires grad
w = torch.randn(3, requires_grad=True)
h = w * 2
h[0] = 1  # <- IPG901
h.sum().backward()
--
w = torch.randn(3, requires_grad=True)
h = torch.zeros(3)
h[0] = 1
(w * h).sum().backward()

== a parameter stepped under no_grad
w = nn.Parameter(torch.zeros(3))
with torch.no_grad():
    w.add_(1)  # <- IPG901
--
w = nn.Parameter(torch.zeros(3))
v = torch.zeros(3)
with torch.no_grad():
    v.add_(1)

== a function writes its argument
def normalise(x: torch.Tensor):
    x -= x.mean()  # <- IPG902
    return x
>> run
normalise(torch.randn(3))
--
def normalise(x: torch.Tensor):
    x = x - x.mean()
    x -= 1
    return x
>> run
normalise(torch.randn(3))

== an argument known to be a tensor by what is done with it
def mask(scores, keep):
    scores = scores.contiguous()
    scores.masked_fill_(keep == 0, -1e9)  # <- IPG902
    return scores.softmax(-1)
>> run
mask(torch.randn(3), torch.ones(3))
--
def mask(scores, keep):
    scores = scores.masked_fill(keep == 0, -1e9)
    return scores.softmax(-1)
>> run
mask(torch.randn(3), torch.ones(3))

== a list argument is no tensor
def collect(out: list, x):
    out += [x]
    out[0] = x
    return out
>> run
collect([torch.zeros(1)], torch.ones(1))
"""

test_linter, test_pytorch = checked(PROGRAMS)


def test_they_are_quiet_unless_selected() -> None:
    for program in parse(PROGRAMS):
        assert analyze(program.text).findings == [], program.title
        assert analyze(program.text, codes=rules.resolve(["IPG"])).findings == [], program.title
        if program.code:
            assert [f.code for f in analyze(program.text, codes={program.code}).findings] == [program.code]
