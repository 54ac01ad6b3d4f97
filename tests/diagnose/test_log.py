"""What is read from a log: errors, their frames and anomaly mode's part, whatever else is in it."""

from __future__ import annotations

import json
import textwrap

import pytest

from inplace_guard.diagnose.facts import read_facts
from inplace_guard.diagnose.log import Failure, read

ERROR = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.cuda.FloatTensor [16, 1]], which is output 0 of AsStridedBackward0, is at version 2; expected version 1 "
    "instead. Hint: the backtrace further above shows the operation that failed to compute its gradient. The variable "
    "in question was changed in there or anywhere later. Good luck!"
)
FORWARD = """\
/env/lib/python3.11/site-packages/torch/autograd/graph.py:979: UserWarning: Error detected in AddmmBackward0. \
Traceback of forward call that caused the error:
  File "/job/train.py", line 60, in <module>
    main()
  File "/job/nets/gan.py", line 26, in forward
    return self.head(x)
  File "/env/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)
 (Triggered internally at /pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:122.)
  return Variable._execution_engine.run_backward(  # Calls into the C++ engine to run the backward pass
"""
TRACEBACK = f"""\
Traceback (most recent call last):
  File "/job/train.py", line 60, in <module>
    main()
  File "/job/train.py", line 36, in main
    loss.backward()
  File "/env/lib/python3.11/site-packages/torch/_tensor.py", line 623, in backward
    torch.autograd.backward(
{ERROR}
"""
LOG = FORWARD + TRACEBACK


def only(text: str) -> Failure:
    failures = read(text).failures
    assert len(failures) == 1, failures
    return failures[0]


def lines_of(failure: Failure) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """(backward, forward), each innermost last, by the ends of the paths."""

    def short(frames: object) -> list[tuple[str, int]]:
        return [(frame.path.replace("\\", "/").rpartition("/")[2], frame.line) for frame in frames]  # type: ignore[attr-defined]

    return short(failure.frames), short(failure.forward.frames if failure.forward else ())


WHOLE = (
    [("train.py", 60), ("train.py", 36), ("_tensor.py", 623)],
    [("train.py", 60), ("gan.py", 26), ("linear.py", 134)],
)


def test_a_whole_log() -> None:
    failure = only(LOG)
    assert lines_of(failure) == WHOLE
    assert failure.frames[1].function == "main"
    assert failure.frames[1].source == "loss.backward()"
    assert failure.forward is not None
    assert failure.forward.node == "AddmmBackward0"
    facts = read_facts(failure.text)
    assert (facts.shape, facts.op, facts.output, facts.found, facts.expected) == ((16, 1), "AsStrided", 0, 2, 1)
    assert facts.writes == 1
    assert facts.missing == []


def prefixed(text: str, *prefixes: str) -> str:
    """The lines of several processes, which print the same, one by one in turn."""
    return "".join(f"{prefix}{line}\n" for line in text.splitlines() for prefix in prefixes)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("step 1 loss 0.3\n" * 40 + LOG + "srun: error: task 0 exited\n", id="other lines around"),
        pytest.param(LOG.replace("\n", "\r\n"), id="line ends of Windows"),
        pytest.param(prefixed(LOG, "[rank0]: "), id="prefix of torchrun"),
        pytest.param(prefixed(LOG, "[rank0]: ", "[rank1]: ", "[rank2]: "), id="ranks mixed line by line"),
        pytest.param(prefixed(LOG, "0: ", "1: "), id="srun --label"),
        pytest.param(prefixed(LOG, "[1,0]<stderr>:"), id="mpirun"),
        pytest.param(prefixed(LOG, "(Trainer pid=123, ip=10.0.0.1) "), id="ray"),
        pytest.param(prefixed(LOG, "trainer-0  | "), id="docker compose"),
        pytest.param(
            "".join(f"2026-11-29T10:00:{n % 60:02}.123456Z {line}\n" for n, line in enumerate(LOG.splitlines())),
            id="times of a container",
        ),
        pytest.param(
            "".join(f"2026-11-29 10:00:{n % 60:02},123 [rank1] {line}\n" for n, line in enumerate(LOG.splitlines())),
            id="times and a rank",
        ),
        pytest.param(
            LOG.replace("Traceback (most", "\x1b[31mTraceback\x1b[0m (most", 1).replace("Run", "\x1b[1mRun"),
            id="colours",
        ),
        pytest.param(f"Epoch 1:  10%|#  | 1/10\rEpoch 1:  20%|## | 2/10\r{LOG}", id="progress bar"),
        pytest.param(LOG.replace("/job/", "C:\\Users\\me\\job\\"), id="paths of Windows"),
        pytest.param(json.dumps({"level": "error", "message": LOG}) + "\n", id="a line of JSON"),
        pytest.param(TRACEBACK.rstrip("\n") + FORWARD, id="anomaly mode's part last, as in notebooks"),
        pytest.param(LOG + TRACEBACK, id="printed twice"),
        pytest.param(
            LOG.replace(
                FORWARD.partition("Traceback of")[0],
                "[W python_anomaly_mode.cpp:104] Warning: Error detected in AddmmBackward0. ",
            ).replace(" (Triggered internally", " (function _print_stack)\n"),
            id="anomaly mode of PyTorch 1.10",
        ),
        pytest.param(
            LOG.replace(FORWARD.partition("Traceback of")[0], "sys:1: RuntimeWarning: "),
            id="anomaly mode of PyTorch 1.1",
        ),
        pytest.param(prefixed(LOG, "E1129 10:00:00.123000 140234 torch/distributed/elastic/agent.py:12] "), id="glog"),
        pytest.param(prefixed(LOG, "[2026-11-29 10:00:00,123][trainer][ERROR] - "), id="hydra"),
        pytest.param(
            "".join(
                f"trainer-0-{n % 2} | 2026-11-29T10:00:01Z stderr F {line}\n"
                for line in LOG.splitlines()
                for n in (0, 1)
            ),
            id="pods of a cluster",
        ),
        pytest.param(LOG.replace("  File", "\tFile").replace("    ", "\t\t"), id="tabs"),
        pytest.param(
            f"ray.exceptions.RayTaskError(RuntimeError): ray::train() (pid=7)\n{LOG}", id="in an error of ray"
        ),
        pytest.param(LOG.replace("RuntimeError: one", "torch.AcceleratorError: one"), id="another class of error"),
    ],
)
def test_what_stands_around_does_no_harm(text: str) -> None:
    assert lines_of(only(text)) == WHOLE


def test_copies_are_counted() -> None:
    assert only(prefixed(LOG, "[rank0]: ", "[rank1]: ")).times == 2
    summary = f"FAILED test_a.py::test_b - {ERROR[:100]}...\n"
    assert only(LOG + summary).times == 2


def test_several_errors() -> None:
    other = LOG.replace("line 36", "line 99").replace("Relu", "Exp")
    assert [failure.frames[1].line for failure in read(LOG + other).failures] == [36, 99]
    assert [failure.number for failure in read(LOG + other).failures] == [17, 34]


def test_an_exception_that_was_handled_before_is_none_of_it() -> None:
    handled = 'Traceback (most recent call last):\n  File "/job/x.py", line 1, in f\n    g()\nKeyError: 3\n\n'
    chained = handled + "During handling of the above exception, another exception occurred:\n\n" + LOG
    assert lines_of(only(chained)) == WHOLE


@pytest.mark.parametrize("width", [60, 100])
def test_a_broken_line(width: int) -> None:
    wrapped = LOG.replace(ERROR, "\n".join(textwrap.wrap(ERROR, width)))
    assert read_facts(only(wrapped).text) == read_facts(ERROR)


def test_rich() -> None:
    text = """\
╭─────────────────────────────── Traceback (most recent call last) ────────────────────────────────╮
│ /job/train.py:60 in <module>                                                                     │
│                                                                                                  │
│   57                                                                                             │
│ ❱ 60 main()                                                                                      │
│                                                                                                  │
│ /job/train.py:36 in main                                                                         │
│                                                                                                  │
│   35 │   loss = f(x)                                                                             │
│ ❱ 36 │   loss.backward()                                                                         │
╰──────────────────────────────────────────────────────────────────────────────────────────────────╯
RuntimeError: one of the variables needed for gradient computation has been modified by
an inplace operation: [torch.FloatTensor [2, 3]], which is output 0 of ReluBackward0,
is at version 1; expected version 0 instead.
"""
    failure = only(text)
    assert [(frame.path, frame.line, frame.function, frame.source) for frame in failure.frames] == [
        ("/job/train.py", 60, "<module>", "main()"),
        ("/job/train.py", 36, "main", "loss.backward()"),
    ]
    assert read_facts(failure.text).op == "Relu"
    assert read_facts(failure.text).found == 1


def test_pytest() -> None:
    text = f"""\
    def test_step():
>       step()

tests/test_gan.py:12:
_ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _
gan/train.py:36: in step
    loss.backward()
/env/lib/python3.11/site-packages/torch/_tensor.py:623: in backward
    torch.autograd.backward(
E   {ERROR}

/env/lib/python3.11/site-packages/torch/autograd/graph.py:979: RuntimeError
=========================== short test summary info ============================
FAILED tests/test_gan.py::test_step - RuntimeError: one of the variables needed for...
1 failed in 4.80s
"""
    failure = only(text)
    assert failure.times == 2
    assert failure.frames[0].source == "step()"  # pytest shows the code above
    assert [(frame.path, frame.line) for frame in failure.frames][:2] == [
        ("tests/test_gan.py", 12),
        ("gan/train.py", 36),
    ]
    assert read_facts(failure.text).shape == (16, 1)


def test_ipython() -> None:
    text = f"""\
RuntimeError                              Traceback (most recent call last)
File ~/job/train.py:36, in main(steps)
     35 loss = f(x)
---> 36 loss.backward()

File /env/lib/python3.11/site-packages/torch/_tensor.py:623, in Tensor.backward(self, gradient)
    622     return handle_torch_function(
--> 623 torch.autograd.backward(

{ERROR}
"""
    failure = only(text)
    assert (failure.frames[0].path, failure.frames[0].line, failure.frames[0].function) == (
        "~/job/train.py",
        36,
        "main",
    )
    assert failure.frames[0].source == "loss.backward()"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (ERROR.replace("AsStridedBackward0", "AsStrided"), ((16, 1), "AsStrided", 2, 1)),
        (ERROR.replace(", which is output 0 of AsStridedBackward0,", ""), ((16, 1), "", 2, 1)),
        (ERROR.replace("[16, 1]", "[]"), ((), "AsStrided", 2, 1)),
        (ERROR.replace("AsStridedBackward0", "torch::autograd::CopySlices"), ((16, 1), "CopySlices", 2, 1)),
        (ERROR.replace("; expected version 1", ", not expected version 1"), ((16, 1), "AsStrided", 2, 1)),
        (ERROR.partition("; expected")[0], ((16, 1), "AsStrided", 2, None)),
        (ERROR.partition(", is at")[0], ((16, 1), "AsStrided", None, None)),
        (ERROR.partition(": [")[0], (None, "", None, None)),  # before PyTorch 1.1
    ],
)
def test_facts_of_older_and_cut_texts(text: str, expected: tuple[object, ...]) -> None:
    facts = read_facts(only(text).text)
    assert (facts.shape, facts.op, facts.found, facts.expected) == expected
    assert bool(facts.missing) is (None in expected)


def test_cut_at_the_top() -> None:
    lines = LOG.splitlines(keepends=True)
    for cut in range(len(lines)):
        failure = only("".join(lines[cut:]))
        backward, forward = lines_of(failure)
        assert backward == WHOLE[0][len(WHOLE[0]) - len(backward) :]
        if cut > 0:  # without its head, the forward part cannot be told from the traceback
            assert forward == []


def test_cut_at_the_end() -> None:
    assert read(LOG.partition("RuntimeError")[0]).failures == []
    assert [frame.line for frame in read(LOG.partition("RuntimeError")[0]).frames] == [60, 36, 623]
    assert read("").failures == []
    assert read("Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'x'\n").other == "KeyError: 'x'"


@pytest.mark.parametrize(
    "text",
    [
        "a leaf Variable that requires grad is being used in an in-place operation.",
        "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        "Output 0 of UnbindBackward0 is a view and is being modified inplace. This view is the output of a function "
        "that returns multiple views. Such functions do not allow the output views to be modified inplace.",
        "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
        "tensor before doing inplace update.",
        "Inference tensors cannot be saved for backward. To work around you can make a clone to get a normal tensor",
        "unsupported operation: more than one element of the written-to tensor refers to a single memory location.",
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed).",
        "element 0 of tensors does not require grad and does not have a grad_fn",
        "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().",
    ],
)
def test_other_errors_are_known(text: str) -> None:
    assert only(TRACEBACK.replace(ERROR, f"RuntimeError: {text}")).text.startswith(text)


def test_what_is_no_log() -> None:
    for text in ("\0" * 100, "\x1b[" * 50, "a" * 100_000, 'File "', "\n" * 1000, "line 3\n}{][", "﻿" + LOG[:200]):
        assert read(text).failures == []


def test_a_long_log_is_read_in_a_moment() -> None:
    noise = "2026-11-29 10:00:00,000 INFO step 17: loss 0.25 lr 1e-3 [rank0] grad norm 3.5\n" * 100_000
    assert lines_of(only(noise + LOG + noise[:1000])) == WHOLE
