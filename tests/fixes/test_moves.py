"""Parameters written before a backward that needs them: the write moves behind it, only with --unsafe-fixes."""

from __future__ import annotations

from inplace_guard.findings import Finding, Site
from inplace_guard.fixes import fix_source

from .marked import Case, cases, check, line_of

STEP = "the other step then uses a gradient from before this one"
PART = "the gradients of that backward would become part of the step"
VALUES = "the forward and backward before it then use the old values alone"


@cases(
    f"""
== the step of another optimizer follows ?? {STEP}
def train(critic_loss, policy_loss, critic_opt, policy_opt):
    critic_opt.zero_grad()
    critic_loss.backward()
    critic_opt.step()  # <-
    policy_opt.zero_grad()
    policy_loss.backward()  # needed
    policy_opt.step()
--
def train(critic_loss, policy_loss, critic_opt, policy_opt):
    critic_opt.zero_grad()
    critic_loss.backward()
    policy_opt.zero_grad()
    policy_loss.backward(inputs=[p for group in policy_opt.param_groups for p in group["params"]])  # needed
    critic_opt.step()
    policy_opt.step()

== the backward has arguments ?? {STEP}
def train(a, b, opt, other):
    a.backward()
    opt.step()  # <-
    b.backward(retain_graph=True)  # needed
    other.step()
--
def train(a, b, opt, other):
    a.backward()
    b.backward(retain_graph=True, inputs=[p for group in other.param_groups for p in group["params"]])  # needed
    opt.step()
    other.step()

== gradients that are not accumulated ?? {STEP}
def train(a, b, opt, xs):
    a.backward()
    opt.step()  # <-
    gs = torch.autograd.grad(b, xs)  # needed
    return gs
--
def train(a, b, opt, xs):
    a.backward()
    gs = torch.autograd.grad(b, xs)  # needed
    opt.step()
    return gs

== no other optimizer !! {PART}
def train(a, b, opt):
    a.backward()
    opt.step()  # <-
    b.backward()  # needed

== a forward in between !! line N may compute with the new values
def train(net, a, x, opt, other):
    a.backward()
    opt.step()  # <-
    b = net(x).sum()
    b.backward()  # needed
    other.step()

== a forward in the backward's own statement !! line N may compute with the new values
def train(net, a, x, opt, other):
    a.backward()
    opt.step()  # <-
    net(x).sum().backward()  # needed
    other.step()

== a backward that is hidden in a method !! line N may compute with the new values
class Trainer:
    def manual(self, loss):
        loss.backward()  # needed

    def fit(self, a, b, opt, other):
        self.manual(a)
        opt.step()  # <-
        self.manual(b)
        other.step()

== the optimizer is used in between !! `opt` is used again before that backward
def train(a, b, opt):
    a.backward()
    opt.step()  # <-
    opt.zero_grad()
    b.backward()  # needed

== the next round of a loop !! does not follow it in the same block
def train(a, opt):
    for _ in range(2):
        a.backward(retain_graph=True)  # needed
        opt.step()  # <-

== in another block !! does not follow it in the same block
def train(a, b, opt, flag):
    if flag:
        opt.step()  # <-
    b.backward()  # needed
"""
)
def test_steps(case: Case) -> None:
    check(case, "IPG107", needed=line_of("# needed"))


@cases(
    f"""
== clipping, in a function ?? {VALUES}
def clip(net):
    for p in net.parameters():
        p.data.clamp_(-1, 1)  # <-


def train(net, x):
    loss = net(x).sum()
    clip(net)
    loss.backward()  # needed
--
def clip(net):
    for p in net.parameters():
        p.data.clamp_(-1, 1)


def train(net, x):
    loss = net(x).sum()
    loss.backward()  # needed
    clip(net)

== clipping goes behind the step that follows ?? {VALUES}
def clip(net):
    for p in net.parameters():
        p.data.clamp_(-1, 1)  # <-


def train(net, x, opt):
    for _ in range(3):
        opt.zero_grad()
        loss = net(x).sum()
        clip(net)
        loss.backward()  # needed
        opt.step()
--
def clip(net):
    for p in net.parameters():
        p.data.clamp_(-1, 1)


def train(net, x, opt):
    for _ in range(3):
        opt.zero_grad()
        loss = net(x).sum()
        loss.backward()  # needed
        opt.step()
        clip(net)

== on a condition !! nothing reads `p` afterwards
def rollback(net, bad):
    if bad:
        for p in net.parameters():
            p.data.zero_()  # <-


def train(net, x, bad):
    loss = net(x).sum()
    rollback(net, bad)
    loss.backward()  # needed

== its result is used !! nothing reads `p` afterwards
def clip(net):
    for p in net.parameters():
        p.data.clamp_(-1, 1)  # <-
    return net


def train(net, x):
    loss = net(x).sum()
    net = clip(net)
    loss.backward()  # needed
"""
)
def test_other_writes_to_parameters(case: Case) -> None:
    check(case, "IPG201", needed=line_of("# needed"))


def test_no_end_of_line() -> None:
    source = b"import torch\nopt.step()  # then\ng = torch.autograd.grad(b, x)"
    finding = Finding(
        "IPG107", "rule", "static", "likely", "", Site("case.py", 2, 1, "SGD.step()"), needed=Site("case.py", 3, 1)
    )
    result = fix_source(source, [finding], unsafe=True)
    assert result.source == b"import torch\ng = torch.autograd.grad(b, x)\nopt.step()  # then"
