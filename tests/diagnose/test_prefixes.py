"""The same log as clusters, collectors, mails and terminals hand it on: nothing of it is lost."""

from __future__ import annotations

import html
import json
import random
import re
from collections.abc import Callable

import pytest

from inplace_guard.diagnose.facts import read_facts

from .test_log import ERROR, LOG, WHOLE, lines_of, only


def each(form: Callable[[int, str], str]) -> str:
    return "\n".join(form(number, line) for number, line in enumerate(LOG.splitlines()))


def mixed(form: Callable[[int, str], str], ranks: int) -> str:
    """Several processes that print the same, each a few lines at a time."""
    chance = random.Random(0)
    queues = [[form(rank, line) for line in LOG.splitlines()] for rank in range(ranks)]
    lines: list[str] = []
    while waiting := [queue for queue in queues if queue]:
        queue = chance.choice(waiting)
        count = chance.randint(1, 3)
        lines += queue[:count]
        del queue[:count]
    return "\n".join(lines)


def broken(width: int, front: str = "") -> str:
    pieces = (line[at : at + width] for line in LOG.splitlines() for at in range(0, len(line), width))
    return "\n".join(front + piece for piece in pieces)


def records(**others: object) -> str:
    return "\n".join(json.dumps({**others, "message": line}) for line in LOG.splitlines())


LOGS = {
    "torchrun --tee": each(lambda n, line: f"[default0]:[rank0]: {line}"),
    "twelve ranks, padded": mixed(lambda rank, line: f"{rank:2d}: {line}", 12),
    "mpirun": mixed(lambda rank, line: f"[1,{rank}]<stderr>: {line}", 2),
    "nodes": mixed(lambda rank, line: f"node{rank:03d}: {line}", 4),
    "docker compose in colour": mixed(lambda rank, line: f"\x1b[3{rank}mworker-{rank}_1  |\x1b[0m {line}", 2),
    "kubectl logs --prefix": mixed(lambda rank, line: f"[pod/train-{rank}/pytorch] {line}", 2),
    "stern": mixed(lambda rank, line: f"train-{rank} pytorch 2025-03-04T10:11:12.123456789Z {line}", 2),
    "skypilot": mixed(lambda rank, line: f"(worker{rank}, rank={rank}, pid={41 + rank}) {line}", 2),
    "syslog": each(lambda n, line: f"Mar  4 10:11:{n:02d} node017 trainer[4711]: {line}"),
    "RFC 5424": each(lambda n, line: f"<11>1 2025-03-04T10:11:{n:02d}.123Z node1 train 4711 - - {line}"),
    "seconds since the start": each(lambda n, line: f"{n * 0.137:9.3f}s | {line}"),
    "seconds since 1970": each(lambda n, line: f"17410830{n:02d}.{n * 37 % 1000:03d} {line}"),
    "GitHub Actions": each(lambda n, line: f"train (3.11)\tRun tests\t2025-03-04T10:11:{n:02d}.1234567Z {line}"),
    "logger": each(lambda n, line: f"2025-03-04 10:11:{n:02d},123 - root - ERROR - {line}"),
    "loguru": each(lambda n, line: f"2025-03-04 10:11:{n:02d}.123 | ERROR    | __main__:main:45 - {line}"),
    "airflow": each(lambda n, line: f"[2025-03-04, 10:11:{n:02d} UTC] {{pod.py:447}} INFO - [base] {line}"),
    "pm2": each(lambda n, line: f"0|train    | {line}"),
    "grep -n": each(lambda n, line: f"slurm-991.out:{n + 1}:{line}"),
    "numbered lines": each(lambda n, line: f"{n + 1:6d}\t{line}"),
    "quoted in a mail": each(lambda n, line: f">> {line}"),
    "colours as text": each(lambda n, line: f"^[[31m{line}^[[0m"),
    "colours without their escape": each(lambda n, line: f"[1;31m{line}[0m"),
    "an exception group": each(lambda n, line: f"    | {line}"),
    "records of JSON, a line each": records(severity="ERROR", labels={"job": "a"}),
    "records of JSON of docker": each(lambda n, line: json.dumps({"log": line + "\n", "stream": "stderr"})),
    "JSON in JSON": json.dumps({"log": json.dumps({"message": "fail", "exc_info": LOG}) + "\n", "stream": "stderr"}),
    "JSON after a prefix": f"2025-03-04T10:11:12Z stderr F {json.dumps({'exc_info': LOG})}",
    "JSON over several lines": json.dumps({"error": {"kind": "RuntimeError", "stack": LOG}}, indent=2),
    "a list of lines": json.dumps({"traceback": LOG.splitlines()}, indent=1),
    "logfmt": f"time=2025-03-04T10:11:12Z level=error err={json.dumps(LOG)}",
    "a string of Python": f"worker failed: {LOG!r}",
    "CSV": 'id,trace\n3,"' + LOG.replace('"', '""') + '"\n',
    "HTML": f"<pre>{html.escape(LOG)}</pre>",
    "one line": re.sub(r"\s*\n\s*", " ", LOG),
    "line ends of old Macs": LOG.replace("\n", "\r"),
    "a progress bar without a line end": "\rEpoch 0: 7%|█ | 7/100 [00:07<00:40, 2.4it/s]" + LOG,
    "a progress bar between": LOG.replace("\n", "\rEpoch 0:  33%|███▎ | 33/100 [00:13<00:27]\n"),
    "output of others between": LOG.replace("\n", "\nINFO:root:step 12 loss 0.334\n"),
    "empty lines between": LOG.replace("\n", "\n\n"),
    "broken at 80": broken(80),
    "broken at 72 after a prefix": broken(72, "[rank0]: "),
    "quotes of an editor": re.sub(r'"([^"\n]*)"', "“\\1”", LOG),
    "a string of YAML": 'error: "' + LOG.replace('"', '\\"').replace("\n", "\\n\\\n    ") + '"',
    "PowerShell": f"python : {LOG.replace(chr(10), chr(10) + 'At line:1 char:1' + chr(10) + '+ ~~~~' + chr(10), 1)}",
    "Datadog": json.dumps({"host": {"name": "n1"}, "error": {"kind": "RuntimeError", "stack_trace": LOG}}),
    "bytes that are nothing": "\0" * 99 + LOG,
}  # fmt: skip


@pytest.mark.parametrize("text", LOGS.values(), ids=LOGS)
def test_nothing_is_lost(text: str) -> None:
    failure = only(text)
    assert lines_of(failure) == WHOLE
    assert read_facts(failure.text) == read_facts(ERROR)
    assert failure.forward is not None
    assert failure.forward.node == "AddmmBackward0"
    assert (failure.frames[1].source, failure.forward.frames[1].source) == ("loss.backward()", "return self.head(x)")


def test_as_many_as_there_are() -> None:
    assert only(LOGS["twelve ranks, padded"]).times == 12
    assert only(LOGS["grep -n"]).times == 1


def test_frames_as_objects() -> None:
    """structlog's dict_tracebacks, Sentry."""
    frames = [
        {"filename": "/job/train.py", "lineno": 60, "name": "<module>"},
        {"filename": "/job/train.py", "lineno": 36, "name": "main", "line": "loss.backward()"},
    ]
    record = {"event": "failed", "exception": [{"exc_type": "RuntimeError", "exc_value": ERROR[14:], "frames": frames}]}
    failure = only(json.dumps(record))
    assert [(frame.path, frame.line, frame.source) for frame in failure.frames] == [
        ("/job/train.py", 60, ""),
        ("/job/train.py", 36, "loss.backward()"),
    ]
    assert read_facts(failure.text) == read_facts(ERROR)


@pytest.mark.parametrize(
    "text",
    [
        f"/job/nets/gan.py:36: {ERROR}",  # pytest --tb=line
        f"[<FrameSummary file /job/nets/gan.py, line 36 in main>]\n{ERROR}",
        f"    def main():\n>       loss.backward()\n\n/job/nets/gan.py:36: \n{'_ ' * 30}\nE   {ERROR}\n",
        f"    def main():\n>       loss.backward()\nE       {ERROR}\n\n/job/nets/gan.py:36: RuntimeError\n",
        f"/job/nets/gan.py:36: in main\n    loss.backward()\nE   {ERROR}\n",
        f"╭─ Traceback (most recent call last) ─╮\n│ /job/nets/gan.py:36 in │\n│ main │\n"
        f"│ ❱ 36 │  loss.backward() │\n╰──╯\n{ERROR}",
        f"{ERROR}\n  File \"/job/nets/gan.py\", line 36, in main\n    loss.backward()\n",
        f"{ERROR}\n> /job/nets/gan.py(36)main()\n-> loss.backward()\n(Pdb) q\n",
        f'Exception: "RuntimeError({ERROR[14:]!r})"\nTraceback: \'  File "/job/nets/gan.py", line 36, in main\\n\'\n',
        f"> File \"/job/nets/gan.py\", line 36, in main\n    loss.backward()\n    └ tensor(3.)\n\n{ERROR}",
    ],
    ids=["tb=line", "FrameSummary", "pytest, called", "pytest, innermost", "tb=short", "rich, broken",
         "Sentry", "pdb", "Dask", "loguru"],
)  # fmt: skip
def test_other_forms_of_a_traceback(text: str) -> None:
    failure = only(text)
    assert [(frame.path, frame.line) for frame in failure.frames] == [("/job/nets/gan.py", 36)]
    assert failure.frames[0].source in ("loss.backward()", "")
