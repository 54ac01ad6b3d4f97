"""The error of a training job, as its log has it -> the write in the local source that is most likely meant."""

from __future__ import annotations

from inplace_guard.diagnose.explain import diagnose
from inplace_guard.diagnose.model import Candidate, Diagnosis, Report

__all__ = ["Candidate", "Diagnosis", "Report", "diagnose"]
