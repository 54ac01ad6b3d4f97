"""Many files: what the cache knows is taken from it, the rest is checked, on several processes if that pays."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from pathlib import Path

from inplace_guard.analysis.project import Project, roots_of
from inplace_guard.check.cache import FOLDER, Cache
from inplace_guard.check.discovery import discover, is_excluded, per_file_ignores
from inplace_guard.check.file import check_bytes, skipped
from inplace_guard.check.model import FileReport, Result
from inplace_guard.config import Settings
from inplace_guard.problems import Problem

__all__ = ["check_paths", "check_stdin", "drop_ignored", "refuse_link"]

_CHUNK_BYTES = 400_000
_WORTH_A_POOL = 1_000_000
_MOST_WORKERS = 61 if os.name == "nt" else 1_000  # Windows cannot wait for more

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class _Job:
    index: int
    path: str
    data: bytes
    key: str


class _Work:
    """What is the same for all files, in this process or another. What a file's patterns ignore is dropped later."""

    def __init__(self, settings: Settings, fixes: bool) -> None:
        self.settings = replace(settings, per_file_ignores={})
        self.fixes = fixes
        self.codes = settings.codes
        self._project = Project(settings.roots) if settings.cross_file else None

    def check(self, data: bytes, path: str) -> FileReport:
        report = check_bytes(data, path, self.codes, self._project)
        if self.fixes and report.findings:
            from inplace_guard.check.fixing import describe_fixes

            describe_fixes(report, data, self.settings, self._project)
        return report


def check_stdin(data: bytes, name: str, settings: Settings, *, fixes: bool = False) -> Result:
    """Checks one text under the name that reports give it. `fixes`: say of each finding what fix there is."""
    if settings.force_exclude and is_excluded(name, settings):
        return Result(notes=[f"{name}: excluded by the exclude setting"])
    report = _Work(settings, fixes).check(data, name)
    drop_ignored(report, settings)
    return Result([report])


def check_paths(
    paths: Sequence[str], settings: Settings, progress: Progress | None = None, *, fixes: bool = False
) -> Result:
    """Checks files and folders. `progress` is called with the number of files done and their total; `fixes`: say of
    each finding what fix there is."""
    found = discover(paths, settings)
    settings = replace(settings, roots=settings.roots or roots_of(paths))
    cache = None
    if settings.cache:
        folder = settings.cache_dir or settings.root / FOLDER
        cache = Cache(folder, settings.codes, settings.root, settings.roots if settings.cross_file else None)
    reports: list[FileReport | None] = [None] * len(found.files)
    done = 0

    def finish(index: int, report: FileReport) -> None:
        nonlocal done
        reports[index] = report
        done += 1
        if progress is not None:
            progress(done, len(reports))

    work = _Work(settings, fixes)
    jobs = _jobs(found.files, work, cache, finish)
    try:
        for index, report, key in _check_all(jobs, work, min(settings.jobs or _cores(), _MOST_WORKERS)):
            if cache is not None and report.news is not None:
                cache.learn(report.news)
            if cache is not None and not any(problem.internal for problem in report.problems):
                cache.put(key, report)
            finish(index, report)
    except KeyboardInterrupt:
        if cache is not None:
            cache.save()  # what was done need not be done again
        raise
    result = Result([report for report in reports if report is not None], found.problems, found.notes, found.links)
    if cache is not None and (note := cache.save()):
        result.notes.append(note)
    for report in result.files:
        drop_ignored(report, settings)
        if fixes and report.path in result.links:
            refuse_link(report)
    return result


def refuse_link(report: FileReport) -> None:
    """What a link in a folder points to is not fixed: nobody named it, and it may be far away."""
    fix = {"applicability": "none", "reason": "the file is a link; name it, or what it points to, to have it fixed"}
    report.findings = [replace(finding, fix=fix) for finding in report.findings]


def drop_ignored(report: FileReport, settings: Settings) -> None:
    """Takes out the findings that the settings ignore in this file."""
    if report.findings and (ignored := per_file_ignores(Path(report.path), settings)):
        report.findings = [finding for finding in report.findings if not finding.code.startswith(ignored)]


def _jobs(
    files: Sequence[Path], work: _Work, cache: Cache | None, finish: Callable[[int, FileReport], None]
) -> Iterator[_Job]:
    """Reads the files; what needs no work is finished at once."""
    for index, file in enumerate(files):
        path = str(file)
        try:
            data = file.read_bytes()
        except OSError as error:
            finish(index, FileReport(path, problems=[Problem(path, f"cannot be read: {error.strerror or error}")]))
            continue
        if reason := skipped(data, work.settings.cross_file):
            finish(index, FileReport(path, skipped=reason))
            continue
        key = cache.key(data, path) if cache is not None else ""
        known = cache.get(key, path) if cache is not None else None
        if known is not None and not (work.fixes and any(finding.fix is None for finding in known.findings)):
            finish(index, known)
        else:
            yield _Job(index, path, data, key)


def _check_all(jobs: Iterator[_Job], work: _Work, workers: int) -> Iterator[tuple[int, FileReport, str]]:
    """Small amounts of work are done here, larger ones by a pool."""
    first: list[_Job] = []
    if workers > 1:
        size = 0
        for job in jobs:
            first.append(job)
            size += len(job.data)
            if size >= _WORTH_A_POOL:
                yield from _check_in_pool(_chunks(first, jobs), work, workers)
                return
    for job in (*first, *jobs) if workers > 1 else jobs:
        yield job.index, work.check(job.data, job.path), job.key


def _chunks(first: Sequence[_Job], rest: Iterator[_Job]) -> Iterator[list[_Job]]:
    chunk: list[_Job] = []
    size = 0
    for jobs in (first, rest):
        for job in jobs:
            chunk.append(job)
            size += len(job.data)
            if size >= _CHUNK_BYTES:
                yield chunk
                chunk, size = [], 0
    if chunk:
        yield chunk


def _check_in_pool(chunks: Iterator[list[_Job]], work: _Work, workers: int) -> Iterator[tuple[int, FileReport, str]]:
    lost: list[_Job] = []
    pool = _pool(workers, work)
    running: dict[Future[list[FileReport]], list[_Job]] = {}
    try:
        while True:
            while len(running) < workers * 2 and (chunk := next(chunks, None)) is not None:
                try:
                    running[pool.submit(_check_chunk, chunk)] = chunk
                except BrokenProcessPool:
                    lost += chunk
                    break
            if not running:
                if not lost:
                    break
                pool.shutdown(wait=True)
                yield from _check_alone(lost, work)
                lost = []
                pool = _pool(workers, work)
                continue
            finished, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in finished:
                chunk = running.pop(future)
                try:
                    for job, report in zip(chunk, future.result(), strict=True):
                        yield job.index, report, job.key
                except BrokenProcessPool:
                    lost += chunk
    except BaseException as error:  # nobody who interrupts wants to wait
        if isinstance(error, KeyboardInterrupt):  # which need not have reached the workers
            for worker in multiprocessing.active_children():
                worker.terminate()
        pool.shutdown(wait=not isinstance(error, KeyboardInterrupt | GeneratorExit), cancel_futures=True)
        raise
    pool.shutdown()  # else its thread may still be closing pipes while Python exits, which complains


def _check_alone(jobs: Sequence[_Job], work: _Work) -> Iterator[tuple[int, FileReport, str]]:
    """A process died, of the memory limit or a fault in the parser: find out at which file, and check the others."""
    for job in jobs:
        pool = _pool(1, work)
        try:
            (report,) = pool.submit(_check_chunk, [job]).result()
        except BrokenProcessPool:
            message = "the process that checked it died; exclude the file or free memory"
            report = FileReport(job.path, problems=[Problem(job.path, message, internal=True)])
        finally:
            pool.shutdown(wait=True)
        yield job.index, report, job.key


def _pool(workers: int, work: _Work) -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        workers, multiprocessing.get_context(), initializer=_begin, initargs=(work.settings, work.fixes)
    )


_work: _Work  # of a worker process


def _begin(settings: Settings, fixes: bool) -> None:
    global _work
    _work = _Work(settings, fixes)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C reaches workers too: no traceback, no wait
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Who is killed cannot tell the workers, which would wait for work for ever."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


def _check_chunk(jobs: Sequence[_Job]) -> list[FileReport]:
    return [_work.check(job.data, job.path) for job in jobs]


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
