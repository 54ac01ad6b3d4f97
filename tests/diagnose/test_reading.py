"""The bytes of a log: encodings, what is no text, and logs too long to read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from inplace_guard.diagnose import diagnose
from inplace_guard.diagnose.reading import decode, read_file

from .test_log import LOG, WHOLE, lines_of, only

NOISE = "2026-11-29 10:00:00,000 INFO step 17: loss 0.25 lr 1e-3 [rank0] grad norm 3.5 written to x.py\n"


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(LOG.encode(), id="UTF-8"),
        pytest.param(b"\xef\xbb\xbf" + LOG.encode(), id="UTF-8 with a mark"),
        pytest.param(LOG.encode("utf-16"), id="UTF-16"),
        pytest.param(LOG.encode("utf-16-le"), id="UTF-16 without a mark"),
        pytest.param(LOG.encode("utf-16-be"), id="UTF-16, the other order"),
        pytest.param("Größe\n".encode("latin-1") + LOG.encode(), id="Latin-1"),
        pytest.param(random.Random(0).randbytes(5000) + b"\n" + LOG.encode() + b"\0\xff" * 99, id="bytes of all kinds"),
    ],
)
def test_encodings(data: bytes) -> None:
    assert lines_of(only(decode(data))) == WHOLE


@pytest.mark.parametrize(("before", "after"), [(130_000, 130_000), (260_000, 10)])
def test_of_a_very_long_log_what_stands_near_the_error_is_read(before: int, after: int, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text(NOISE * before + LOG + NOISE * after)
    text = read_file(path)
    assert len(text) < 2_000_000
    failure = only(text)
    assert lines_of(failure) == WHOLE
    assert failure.number == before + LOG.count("\n")


def test_nothing_of_it(tmp_path: Path) -> None:
    for data, words in ((b"", "the log is empty"), (random.Random(1).randbytes(9999), "no traceback"), (b"\0" * 9, "")):
        report = diagnose(decode(data), tmp_path)
        assert report.diagnoses == []
        assert words in report.problems[0]
