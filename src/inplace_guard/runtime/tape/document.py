"""A tape as JSON: what `--format json` prints and what the page is made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inplace_guard.findings import Finding, Site
from inplace_guard.runtime.tape.lifetimes import Lifetimes, predict
from inplace_guard.runtime.tape.model import Node, Order, Save, Storage, Tape

__all__ = ["SCHEMA", "document"]

SCHEMA = 1


def document(
    tape: Tape, lifetimes: Lifetimes | None = None, findings: Sequence[Finding] = (), order: Order = "backward"
) -> dict[str, Any]:
    """`nodes` in this order, AccumulateGrad last; everything else refers to them by number."""
    lifetimes = lifetimes or predict(tape)
    total = tape.totals
    nodes = [*tape.ordered(order), *(node for node in tape.nodes if node.leaf is not None)]
    return {
        "schema": SCHEMA,
        "kind": "tape",
        "title": tape.title,
        "totals": {
            "nodes": total.nodes,
            "accumulate_grad": total.accumulate,
            "kinds": dict(total.kinds),
            "saves": total.saves,
            "distinct_bytes": total.distinct_bytes,
            "each_bytes": total.each_bytes,
            "parameter_bytes": total.parameter_bytes,
            "peak_bytes": lifetimes.peak,
            "clobbered": total.clobbered,
            "freed_nodes": total.freed,
        },
        "nodes": [_node(node) for node in nodes],
        "storages": [_storage(storage) for storage in tape.storages],
        "lifetimes": {
            "measured": lifetimes.measured,
            "order": list(lifetimes.order),
            "bars": [
                {"storage": bar.storage, "born": bar.born, "read": bar.read, "died": bar.died} for bar in lifetimes.bars
            ],
            "curve": list(lifetimes.curve),
            "error": lifetimes.error,
            "stopped_at": lifetimes.stopped_at,
        },
        "findings": [finding.to_json() for finding in findings],
    }


def _node(node: Node) -> dict[str, Any]:
    return {
        "number": node.number,
        "name": node.name,
        "kind": node.kind,
        "module": node.module,
        "site": _site(node.site),
        "shapes": [None if shape is None else list(shape) for shape in node.shapes],
        "saved": [_save(save) for save in node.saved],
        "inputs": list(node.inputs),
        "leaf": node.leaf,
        "freed": node.freed,
    }


def _save(save: Save) -> dict[str, Any]:
    return {
        "name": save.name,
        "role": save.role,
        "shape": list(save.shape),
        "dtype": save.dtype,
        "bytes": save.nbytes,
        "storage": save.storage,
        "source": save.source,
        "clobbered": save.clobbered,
    }


def _storage(storage: Storage) -> dict[str, Any]:
    return {
        "number": storage.number,
        "bytes": storage.nbytes,
        "parameter": storage.parameter,
        "name": storage.name,
        "savers": list(storage.savers),
        "writes": [{"site": _site(mark.site), "step": mark.step, "broke": list(mark.broke)} for mark in storage.writes],
    }


def _site(site: Site | None) -> dict[str, Any] | None:
    return site.to_json() if site is not None else None
