"""What a page can show of a tape: sites once each, and of a very large graph only a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["MOST_BARS", "MOST_NODES", "bounded"]

MOST_NODES = 3000
MOST_BARS = 2000


def bounded(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as the page's script wants it: `sites` apart, `steps`, and `notices` about what was left out.

    Nodes whose saves were overwritten stay, then the newest; of the memory what was overwritten, then the largest.
    """
    notices: list[str] = []
    nodes, storages, life = document["nodes"], document["storages"], document["lifetimes"]
    forward = sum(node["leaf"] is None for node in nodes)
    if len(nodes) > MOST_NODES:
        notices.append(
            f"The graph has {len(nodes):,} nodes; this page shows {MOST_NODES:,}, the overwritten and the newest. "
            "The totals count all; --format json lists all."
        )
        nodes = sorted(nodes, key=lambda node: (not _clobbered(node), node["leaf"] is not None, -node["number"]))
        nodes = nodes[:MOST_NODES]
    kept = {node["number"] for node in nodes}
    bars = [bar for bar in life["bars"] if bar["born"] in kept]
    by_number = {storage["number"]: storage for storage in storages}
    if len(bars) > MOST_BARS:
        notices.append(f"Of {len(bars):,} pieces of saved memory the largest {MOST_BARS:,} are shown.")
        bars = sorted(bars, key=lambda bar: -by_number[bar["storage"]]["bytes"])[:MOST_BARS]
    if len(life["bars"]) > len(bars) and not notices:
        notices.append("Some saved memory is not shown.")
    if document["totals"]["freed_nodes"]:
        ran = document["totals"]["freed_nodes"]
        notices.append(f"{ran:,} nodes have run already: what they had saved is gone, and not shown.")
    used = {save["storage"] for node in nodes for save in node["saved"]}
    order, curve = life["order"], life["curve"]
    if len(order) > 20 * MOST_NODES:  # a point for every pixel is plenty
        notices.append(f"The time line of {forward + len(order):,} steps is too long to draw; the peak is above.")
        order, curve, bars, forward = [], [], [], 0
    sites = _Sites()
    return {
        **{key: document[key] for key in ("title", "totals", "findings")},
        "steps": {"forward": forward},
        "notices": notices,
        "nodes": [{**node, "site": sites.index(node["site"])} for node in nodes],
        "storages": [
            {**storage, "writes": [{**write, "site": sites.index(write["site"])} for write in storage["writes"]]}
            for storage in storages
            if storage["number"] in used
        ],
        "lifetimes": {**life, "bars": bars, "order": order, "curve": curve},
        "sites": sites.listed,
    }


class _Sites:
    def __init__(self) -> None:
        self.listed: list[dict[str, Any]] = []
        self._known: dict[tuple[Any, ...], int] = {}

    def index(self, site: dict[str, Any] | None) -> int | None:
        if site is None:
            return None
        key = tuple(sorted((name, value) for name, value in site.items() if value is not None))
        if key not in self._known:
            self._known[key] = len(self.listed)
            self.listed.append(site)
        return self._known[key]


def _clobbered(node: Mapping[str, Any]) -> bool:
    return any(save["clobbered"] for save in node["saved"])
