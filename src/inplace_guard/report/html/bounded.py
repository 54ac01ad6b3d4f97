"""What a page can show of a tape: sites once each, and of a very large graph only a part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["MOST_BARS", "MOST_NODES", "MOST_POINTS", "bounded"]

MOST_NODES = 3000
MOST_BARS = 1000
MOST_POINTS = 8000  # of the memory curve: more than any screen is wide


def bounded(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as the page's script wants it: `sites` apart, `steps`, and `notices` about what was left out.

    Of the memory what was overwritten stays, then the largest; of the nodes those that saved it, then the newest.
    """
    notices: list[str] = []
    nodes, life = document["nodes"], document["lifetimes"]
    storages = {storage["number"]: storage for storage in document["storages"]}
    clobbered = {node["number"] for node in nodes if any(save["clobbered"] for save in node["saved"])}
    order, curve, bars = life["order"], life["curve"], life["bars"]
    if len(bars) > MOST_BARS:
        notices.append(f"Of {len(bars):,} pieces of saved memory the page shows the largest {MOST_BARS:,}.")
        bars = sorted(
            bars,
            key=lambda bar: (
                clobbered.isdisjoint(storages[bar["storage"]]["savers"]),
                -storages[bar["storage"]]["bytes"],
            ),
        )[:MOST_BARS]
    if len(nodes) > MOST_NODES:
        notices.append(
            f"Of {len(nodes):,} nodes the page shows {MOST_NODES:,}: those of the memory shown, then the newest. "
            "The totals count all; --format json lists all."
        )
        first = clobbered | {bar["born"] for bar in bars}
        nodes = sorted(nodes, key=lambda node: (node["number"] not in first, node["leaf"] is not None, -node["number"]))
        nodes = nodes[:MOST_NODES]
    if document["totals"]["freed_nodes"]:
        ran = document["totals"]["freed_nodes"]
        notices.append(f"{ran:,} nodes have run already: what they had saved is gone, and not shown.")
    used = {save["storage"] for node in nodes for save in node["saved"]}
    kept = {node["number"] for node in nodes}
    stride = -(-len(curve) // MOST_POINTS) or 1
    sites = _Sites()
    return {
        **{key: document[key] for key in ("title", "totals", "findings")},
        "steps": {"forward": document["totals"]["nodes"], "backward": len(order), "stride": stride},
        "notices": notices,
        "nodes": [{**node, "site": sites.index(node["site"])} for node in nodes],
        "storages": [
            {**storage, "writes": [{**write, "site": sites.index(write["site"])} for write in storage["writes"]]}
            for number, storage in storages.items()
            if number in used
        ],
        "lifetimes": {
            **life,
            "bars": [bar for bar in bars if bar["born"] in kept],
            "order": [[number, step] for step, number in enumerate(order, start=1) if number in kept],
            "curve": [max(curve[start : start + stride]) for start in range(0, len(curve), stride)],
        },
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
